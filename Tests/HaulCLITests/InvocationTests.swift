import Haul
import Testing

@testable import HaulCLI

@Suite struct InvocationTests {
    private static let judges = Invocation.Judges(
        validate: { request, _ throws(DownloadError) in
            guard request.url.hasPrefix("http") else {
                throw DownloadError(.invalidRequest, "can't fetch '\(request.url)': an http or https URL is needed")
            }
        }, isDirectory: { $0 == "folder" || $0 == "d/folder" })

    private func job(_ words: String...) throws -> FetchJob {
        guard case .fetch(let job) = try Invocation(ArgumentParser.parse(words), judges: Self.judges) else {
            throw UsageError("not a fetch")
        }
        return job
    }

    @Test(
        arguments: [
            ([], .directory(".")),
            (["-d", "d"], .directory("d")),
            (["-o", "f"], .file("f")),
            (["-o", "f", "-d", "d"], .file("d/f")),
            (["-o", "f", "-d", "d/"], .file("d/f")),
            (["-o", "/f", "-d", "d"], .file("/f")),
            (["-o", "./-"], .file("./-")),
        ] as [([String], DownloadRequest.Destination)])
    func destination(_ words: [String], _ destination: DownloadRequest.Destination) throws {
        let arguments = try ArgumentParser.parse(words + ["http://h/x"])
        guard case .fetch(let job) = try Invocation(arguments, judges: Self.judges) else {
            Issue.record("not a fetch")
            return
        }
        #expect(job.requests.map(\.destination) == [destination])
    }

    @Test func defaultsAreTheLibrarys() throws {
        let job = try job("http://h/x")
        let defaults = DownloadOptions()
        #expect(job.options.connections == defaults.connections)
        #expect(job.options.minimumSplitSize == defaults.minimumSplitSize)
        #expect(job.options.retries == defaults.retries)
        #expect(job.options.syncsBeforePublishing && job.options.verifiesContent)
        #expect(job.requests[0].existing == .verify)
        #expect(!job.requests[0].discardsPartial)
    }

    @Test func everyOptionArrives() throws {
        let job = try job(
            "-f", "--restart", "--no-sync", "--no-verify", "-n3", "--min-split-size=2M", "--retry=7",
            "--connect-timeout=1", "--stall-timeout=2", "-HX-A: b", "-ume:pw", "-Aagent", "--max-redirs=4",
            "--cacert=ca", "-k", "--checksum=crc32c=00000000", "https://h/x")
        let (request, options) = (job.requests[0], job.options)
        #expect(request.existing == .replace && request.discardsPartial)
        #expect(request.headers == ["X-A: b"])
        #expect(request.credentials == .init(name: "me", password: "pw"))
        #expect(request.checksums.count == 1)
        #expect(!options.syncsBeforePublishing && !options.verifiesContent && options.acceptsAnyCertificate)
        #expect((options.connections, options.retries, options.maximumRedirects) == (3, 7, 4))
        #expect(options.minimumSplitSize == 2 << 20)
        #expect((options.connectTimeout, options.stallTimeout) == (.seconds(1), .seconds(2)))
        #expect((options.trustFile, options.userAgent) == ("ca", "agent"))
    }

    @Test func jsonTurnsTheDisplayOff() throws {
        #expect(try job("--json", "http://h/x").reporting.progress == .none)
        #expect(try job("--json", "--progress=bar", "http://h/x").reporting.progress == .bar)
    }

    @Test func severalAddresses() throws {
        #expect(try job("http://h/x", "http://h/y").requests.map(\.url) == ["http://h/x", "http://h/y"])
    }

    @Test(arguments: [
        ([], "no URL given: write haul [OPTIONS] URL..., or haul --help"),
        ([""], "an empty URL was given"),
        (
            ["-o", "f", "http://h/x", "http://h/y"],
            "option '--output' is for one file but 2 URLs were given: use --directory"
        ),
        (
            ["--checksum=crc32c=00000000", "http://h/x", "http://h/y"],
            "option '--checksum' is for one file but 2 URLs were given: give them one at a time"
        ),
        (
            ["--json", "-o", "-", "http://h/x"],
            "'--json' and '--output -' both want standard output: give a file, or leave out --json"
        ),
        (["-o", "a/", "http://h/x"], "'a/' is a directory: use --directory to put the file into it"),
        (["-o", "folder", "http://h/x"], "'folder' is a directory: use --directory to put the file into it"),
        (
            ["-o", "folder", "-d", "d", "http://h/x"],
            "'d/folder' is a directory: use --directory to put the file into it"
        ),
        (["http://h/x", "ftp://h/\u{1B}x"], "can't fetch 'ftp://h/\\x1bx': an http or https URL is needed"),
        (["demo", "x"], "'haul demo' does not take 'x'"),
        (["-q", "demo"], "option '-q' can't be used with 'haul demo'"),
        (["completions"], "'haul completions' needs a shell: one of bash, zsh, fish"),
        (["completions", "tcsh"], "no completions for shell 'tcsh': use one of bash, zsh, fish"),
        (["completions", "zsh", "fish"], "'haul completions' does not take 'fish'"),
    ])
    func mistake(_ words: [String], _ message: String) throws {
        let arguments = try ArgumentParser.parse(words)
        #expect(throws: UsageError(message)) { try Invocation(arguments, judges: Self.judges) }
    }

    @Test func commandsAndHelp() throws {
        func invocation(_ words: String...) throws -> String {
            String(describing: try Invocation(ArgumentParser.parse(words), judges: Self.judges))
        }
        #expect(try invocation("demo") == "demo")
        #expect(try invocation("man") == "manual")
        #expect(try invocation("completions", "fish").contains("fish"))
        #expect(try invocation("-V", "nonsense") == "version")
        #expect(try invocation("--help", "-o", "-", "x").contains("full"))
    }
}
