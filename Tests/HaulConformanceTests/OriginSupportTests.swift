import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// The helpers that other tests stand on.
@Suite(.temporaryDirectory) struct OriginSupportTests {
    @Test func `a process's output, code and resources are known`() async throws {
        let script = "cat; echo out; echo err >&2; echo $WORD $(pwd); exit 7"
        let process = try ProcessRunner(
            "/bin/sh", ["-c", script], environment: ["WORD": "given"], directory: TemporaryDirectory.current,
            input: Array("typed\n".utf8))
        let outcome = await process.wait()
        #expect(outcome.status == .code(7))
        #expect(outcome.outputText == "typed\nout\ngiven \(TemporaryDirectory.current)\n")
        #expect(outcome.errorText == "err\n")
        #expect(!outcome.timedOut)
        #expect(process.hasEnded)
        process.signal(SIGKILL)
    }

    @Test func `much output does not block`() async throws {
        let outcome = await (try ProcessRunner("/usr/bin/head", ["-c", "5000000", "/dev/zero"])).wait()
        #expect(outcome.output.count == 5_000_000)
    }

    @Test func `signals and time-outs end a process`() async throws {
        let signalled = try ProcessRunner("/bin/sleep", ["100"])
        signalled.signal(SIGTERM)
        #expect(await signalled.wait().status == .signal(SIGTERM))
        let late = await (try ProcessRunner("/bin/sleep", ["100"], timeout: .milliseconds(50))).wait()
        #expect(late.status == .signal(SIGKILL))
        #expect(late.timedOut)
        #expect(throws: ProcessError.self) { try ProcessRunner("/no/such/program") }
    }

    @Test func `a directory is empty, one's own, and gone at the end`() throws {
        #expect(FileContents.names(in: TemporaryDirectory.current).isEmpty)
        let path: String
        do {
            let directory = try TemporaryDirectory()
            path = directory.path
            mkdir(directory.file("sub"), 0o755)
            try FileContents.write([1, 2, 3], to: directory.file("sub/file"))
            symlink("/etc", directory.file("sub/link"))
            #expect(FileContents.names(in: directory.file("sub")) == ["file", "link"])
        }
        #expect(!FileContents.exists(path))
        #expect(FileContents.exists("/etc/passwd"))
    }

    @Test func `a file is compared with its content`() throws {
        let resource = OriginResource("/f", size: 1_000_003, seed: 4)
        let path = TemporaryDirectory.current + "/f"
        try FileContents.write(resource.content, 0..<resource.size, to: path)
        #expect(FileContents.difference(of: path, from: resource) == nil)
        try FileContents.write([resource.content.byte(at: 777_777) ^ 1], to: path, at: 777_777)
        #expect(FileContents.difference(of: path, from: resource)?.hasSuffix("wrong at 777777") == true)
        #expect(FileContents.difference(of: path, from: resource.content, in: 0..<777_777) == nil)
        truncate(path, 10)
        #expect(FileContents.difference(of: path, from: resource) != nil)
        #expect(try FileContents.read(path) == resource.content.bytes(0..<10))
    }

    @Test(.requiresNginx) func `nginx serves files, and over TLS`() async throws {
        var options = NginxOrigin.Options()
        options.usesTLS = true
        let nginx = try await NginxOrigin(options)
        let content = OriginContent(seed: 1)
        try FileContents.write(content, 0..<300_000, to: nginx.file("f"))
        let plain = await BackgroundThread.run {
            OriginTestClient(port: nginx.port).get("/f", [OriginField("Range", "bytes=5-9")])
        }
        #expect(plain.status == 206)
        #expect(plain.body == content.bytes(5..<10))
        let check = try await ProcessRunner.check(
            "/usr/bin/openssl",
            [
                "s_client", "-connect", "localhost:\(nginx.securePort)", "-CAfile", nginx.trustFile,
                "-verify_return_error", "-verify_hostname", "localhost", "-brief",
            ])
        #expect((check.errorText + check.outputText).contains("Verification: OK"))
        await nginx.stop()
    }

    @Test func `the same seed gives the same numbers`() {
        var (first, second, third) = (SeededRandom(seed: 1), SeededRandom(seed: 1), SeededRandom(seed: 2))
        let numbers = (0..<9).map { _ in first.next() }
        #expect(numbers == (0..<9).map { _ in second.next() })
        #expect(numbers != (0..<9).map { _ in third.next() })
        #expect(first.next() != first.next())
    }
}
