import Testing

@testable import HaulCLI

@Suite struct ArgumentParserTests {
    /// Every way to write a value means the same.
    @Test(arguments: [
        ["-n", "16", "u"], ["-n16", "u"], ["--connections", "16", "u"], ["--connections=16", "u"], ["u", "-n16"],
        ["-qn16", "u"], ["-qfn", "16", "u"], ["-n16", "--", "u"], ["-n8", "-n16", "u"],
    ])
    func connections(_ words: [String]) throws {
        let arguments = try ArgumentParser.parse(words)
        #expect(arguments.connections == 16)
        #expect(arguments.positionals == ["u"])
    }

    @Test func bundles() throws {
        let arguments = try ArgumentParser.parse(["-fkqo", "out", "u"])
        #expect(arguments.force && arguments.insecure && arguments.verbosity == .quiet)
        #expect(arguments.output == "out")
        #expect(try ArgumentParser.parse(["-vofile", "u"]).output == "file")
        #expect(try ArgumentParser.parse(["-v"]).verbosity == .verbose)
    }

    @Test func valuesMayBeginWithAHyphen() throws {
        #expect(try ArgumentParser.parse(["-o", "-n"]).output == "-n")
        #expect(try ArgumentParser.parse(["--output", "--"]).output == "--")
        #expect(try ArgumentParser.parse(["--output=-"]).output == "-")
        #expect(try ArgumentParser.parse(["--output=a=b"]).output == "a=b")
    }

    @Test func everythingAfterTwoHyphensIsPositional() throws {
        let arguments = try ArgumentParser.parse(["-q", "--", "-n", "--force", "--"])
        #expect(arguments.positionals == ["-n", "--force", "--"])
        #expect(!arguments.force)
        #expect(try ArgumentParser.parse(["-"]).positionals == ["-"])
    }

    /// What is typed and what must come of it, one row an option.
    private static let options = [
        OptionCase(["-o", "f"], { $0.output == "f" }),
        OptionCase(["-d", "d"], { $0.directory == "d" }),
        OptionCase(["-f"], { $0.force }),
        OptionCase(["--restart"], { $0.restart }),
        OptionCase(["--no-sync"], { $0.noSync }),
        OptionCase(["-n", "1"], { $0.connections == 1 }),
        OptionCase(["-n", "256"], { $0.connections == 256 }),
        OptionCase(["--min-split-size", "4M"], { $0.minimumSplitSize == 4 << 20 }),
        OptionCase(["--retry", "0"], { $0.retries == 0 }),
        OptionCase(["--connect-timeout", "2.5"], { $0.connectTimeout == .milliseconds(2500) }),
        OptionCase(["--stall-timeout", "30"], { $0.stallTimeout == .seconds(30) }),
        OptionCase(["-H", "A: b", "-H", "C:"], { $0.headers == ["A: b", "C:"] }),
        OptionCase(["-u", "me:a:b"], { $0.credentials?.name == "me" && $0.credentials?.password == "a:b" }),
        OptionCase(["-u", ":"], { $0.credentials?.name == "" && $0.credentials?.password == "" }),
        OptionCase(["-A", "x/1"], { $0.userAgent == "x/1" }),
        OptionCase(["--max-redirs", "0"], { $0.maximumRedirects == 0 }),
        OptionCase(["--cacert", "ca.pem"], { $0.trustFile == "ca.pem" }),
        OptionCase(["-k"], { $0.insecure }),
        OptionCase(
            ["--checksum", "md5=d41d8cd98f00b204e9800998ecf8427e", "--checksum", "crc32c:00000000"],
            { $0.checksums.count == 2 }
        ),
        OptionCase(["--no-verify"], { $0.noVerify }),
        OptionCase(["-q"], { $0.verbosity == .quiet }),
        OptionCase(["-v"], { $0.verbosity == .verbose }),
        OptionCase(["--json"], { $0.json }),
        OptionCase(["--progress", "plain"], { $0.progress == .plain }),
        OptionCase(["-h"], { $0.help == .short }),
        OptionCase(["--help"], { $0.help == .full }),
        OptionCase(["-V"], { $0.version }),
    ]

    @Test(arguments: options)
    func option(_ row: OptionCase) throws {
        #expect(row.holds(try ArgumentParser.parse(row.words)), "\(row.words)")
    }

    /// One row a mistake: what is typed and the line that names it.
    @Test(arguments: [
        (["--outptu"], "unknown option '--outptu': did you mean '--output'?"),
        (["--connectio"], "unknown option '--connectio': did you mean '--connections'?"),
        (["--checksums=x"], "unknown option '--checksums': did you mean '--checksum'?"),
        (["--frobnicate"], "unknown option '--frobnicate': haul --help lists all options"),
        (["--x\u{1B}[31m"], "unknown option '--x\\x1b[31m': haul --help lists all options"),
        (["-z"], "unknown option '-z': haul --help lists all options"),
        (["-qz"], "unknown option '-z' in '-qz': haul --help lists all options"),
        (["-5"], "unknown option '-5': haul --help lists all options"),
        (["-o"], "option '-o' needs a value: FILE"),
        (["--retry"], "option '--retry' needs a value: N"),
        (["--force=yes"], "option '--force' takes no value"),
        (["-o", ""], "option '-o' has an empty value"),
        (["--directory="], "option '--directory' has an empty value"),
        (["-n", "0"], "bad value '0' for '-n': auto, or a whole number from 1 to 256, is needed"),
        (["-n", "257"], "bad value '257' for '-n': auto, or a whole number from 1 to 256, is needed"),
        (["-n=8"], "bad value '=8' for '-n': auto, or a whole number from 1 to 256, is needed"),
        (["-n", "+8"], "bad value '+8' for '-n': auto, or a whole number from 1 to 256, is needed"),
        (["-n", ""], "bad value '' for '-n': auto, or a whole number from 1 to 256, is needed"),
        (
            ["--retry", "99999999999999999999"],
            "bad value '99999999999999999999' for '--retry': a whole number from 0 to 1000000 is needed"
        ),
        (
            ["--min-split-size", "8MB"],
            "bad value '8MB' for '--min-split-size': a size is needed, such as 8M, 8MiB or 8388608 "
                + "(K, M, G, T are powers of 1024)"
        ),
        (
            ["--limit-rate", "99999999999T"],
            "bad value '99999999999T' for '--limit-rate': a size below 8388608T is needed"
        ),
        (["--limit-rate", "0"], "bad value '0' for '--limit-rate': a size above 0 is needed"),
        (
            ["--max-time", "99999999999"],
            "bad value '99999999999' for '--max-time': seconds from 0.001 to 31536000 are needed, such as 15 or 0.5"
        ),
        (
            ["--stall-timeout", "0"],
            "bad value '0' for '--stall-timeout': seconds from 0.001 to 31536000 are needed, such as 15 or 0.5"
        ),
        (["--progress", "fancy"], "bad value 'fancy' for '--progress': use one of auto, bar, plain, none"),
        (["-H", "secret"], "bad value for '-H': a line 'Name: value' is needed"),
        (["-H", ": x"], "bad value for '-H': a line 'Name: value' is needed"),
        (["-H", "A b: x"], "bad value for '-H': a line 'Name: value' is needed"),
        (["-H", "A: x\r\nB: y"], "bad value for '-H': control characters are not allowed in a header"),
        (["-H", "range: bytes=0-1"], "bad value for '-H': haul sets range itself"),
        (["-u", "secret"], "option '-u' has no password: write NAME:PASSWORD, or NAME: for an empty one"),
        (
            ["--checksum", "sha256:12"],
            "option '--checksum': checksum '12' is not a sha-256 value: 64 hexadecimal digits are needed"
        ),
    ])
    func mistake(_ words: [String], _ message: String) {
        #expect(throws: UsageError(message)) { try ArgumentParser.parse(words) }
    }

    @Test func namesAreUnique() {
        #expect(Set(FlagTable.all.map(\.long)).count == FlagTable.all.count)
        let shorts = FlagTable.all.compactMap(\.short)
        #expect(Set(shorts).count == shorts.count)
        let ranks = FlagTable.all.compactMap(\.rank)
        #expect(Set(ranks).count == ranks.count)
    }
}
