import HaulOrigin
import HaulTestSupport
import Testing

/// Values that nobody needs, and what the built program makes of them.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10))) struct OddValueTests {
    @Test(arguments: ["9223372036854775807", "4611686018427387904", "8388607T", "1"])
    func anySizeOfSplitsWorks(_ size: String) async throws {
        let resource = OriginResource("/f", size: 8 << 20)
        let server = try OriginServer(resource)
        let url = server.url(for: "/f")
        let doctor = try await Program.run("doctor", "--min-split-size", size, url)
        #expect(doctor.status == .code(0), "\(doctor.errorText)")
        for connections in ["1", "4", "auto"] {
            let outcome = try await Program.run("-f", "--min-split-size", size, "-n", connections, "-o", "f", url)
            #expect(outcome.status == .code(0), "\(outcome.errorText)")
            #expect(FileContents.difference(of: Program.file("f"), from: resource) == nil)
        }
    }

    @Test func checksumsThatContradictEachOther() async throws {
        let server = try OriginServer(OriginResource("/f", size: 3000))
        let (one, two) = (String(repeating: "1", count: 32), String(repeating: "2", count: 32))
        let message = "two md5 values were given for one file, \(one) and \(two): leave out the wrong one\n"
        let outcome = try await Program.run(
            "--checksum", "md5=\(one)", "--checksum", "MD5:\(one)", "--checksum=md5=\(two)", server.url(for: "/f"))
        #expect(outcome.status == .code(2) && outcome.errorText == "haul: " + message, "\(outcome.errorText)")
        try Program.write("\(server.url(for: "/f"))\n checksum=md5=\(one)\n checksum=md5=\(two)\n", to: "list")
        let listed = try await Program.run("-i", "list")
        #expect(
            listed.status == .code(2) && listed.errorText.contains("haul: list:1: " + message), "\(listed.errorText)")
        #expect(server.connectionsAccepted == 0)
    }

    @Test(
        arguments: [
            (["statu", "f"], 2, "'statu' is no command, and no address: did you mean 'haul status'?"),
            (["Help"], 2, "'Help' is no command, and no address: did you mean 'haul help'?"),
            (
                ["host", "f"], 2,
                "'host' can't be fetched: not an http or https address: write http:// or https:// in front"
            ),
            (["verify", ".", "--checksum", "crc32c=00000000"], 6, ".: is a directory: name a file in it"),
            (
                ["status", "--temp-directory", "none", "f"], 2,
                "option '--temp-directory': 'none' is no directory: check the path"
            ),
            (["-i", "."], 2, "can't read '.': it is a directory: give a list of addresses"),
            (
                ["--metalink", "ftp://h/m"], 2,
                "option '--metalink': 'ftp://h/m' is not an http or https address, nor a file"
            ),
            (
                ["--checksum-file", "ftp://h/m", "http://127.0.0.1:9/f"], 2,
                "option '--checksum-file': 'ftp://h/m' is not an http or https address, nor a file"
            ),
            (
                ["-o", String(repeating: "a", count: 300), "http://127.0.0.1:9/f"], 6,
                String(repeating: "a", count: 300) + ": the name is too long: choose a shorter one"
            ),
        ] as [([String], Int32, String)])
    func oneLineSaysWhatIsWrong(_ words: [String], _ status: Int32, _ message: String) async throws {
        let outcome = try await Program.run(words)
        #expect(outcome.status == .code(status))
        #expect(outcome.errorText == "haul: \(message)\n")
    }
}
