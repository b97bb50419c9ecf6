import HaulTestSupport
import Testing

@testable import HaulCLI

/// Every option and command has a test that runs the built program: this table says which, and is held against the tests'
/// own text.
@Suite struct FlagCoverageTests {
    /// Options of the full help, and the test of each.
    private static let tests: [String: String] = [
        "output": "FlagTests.outputAndDirectory", "directory": "FlagTests.outputAndDirectory",
        "force": "FlagTests.forceAndRestart", "restart": "FlagTests.forceAndRestart", "adopt": "FlagTests.adopt",
        "temp-directory": "LimitFlagTests.partialElsewhere", "no-sync": "FlagTests.noVerifyAndNoSync",
        "connections": "FlagTests.connectionsAndLeastSplit", "min-split-size": "FlagTests.connectionsAndLeastSplit",
        "retry": "FlagTests.insecure", "limit-rate": "LimitFlagTests.rateHoldsOverAllConnections",
        "connect-timeout": "StatusTests.connectTimeOutIsKept",
        "stall-timeout": "StatusTests.silentServerIsLeftAfterTheStallTime",
        "max-time": "LimitFlagTests.timeRunsOut", "range": "StreamTests.partIsThatPart", "mirror": "FlagTests.mirror",
        "input-file": "BatchTests.listsFromStandardInput", "jobs": "BatchTests.listsFromStandardInput",
        "metalink": "MetalinkTests.severalFilesAreABatchWithSafeNames",
        "header": "RequestFlagTests.trustedRedirectsGetEverything",
        "user": "RequestFlagTests.trustedRedirectsGetEverything",
        "netrc": "RequestFlagTests.netrcsDefaultStaysWithTheOrigin",
        "netrc-file": "RequestFlagTests.netrcLogsIn",
        "user-agent": "RequestFlagTests.cookieTextStaysWithTheOriginAndTheRestDoesNot",
        "referer": "RequestFlagTests.cookieTextStaysWithTheOriginAndTheRestDoesNot",
        "cookie": "RequestFlagTests.cookieFileAndJar", "cookie-jar": "RequestFlagTests.cookieFileAndJar",
        "proxy": "RequestFlagTests.proxyWithCredentials", "max-redirs": "RequestFlagTests.redirectsEndAtTheLimit",
        "location-trusted": "RequestFlagTests.trustedRedirectsGetEverything",
        "cacert": "NetworkFlagTests.clientCertificate", "cert": "NetworkFlagTests.clientCertificate",
        "key": "NetworkFlagTests.clientCertificate", "insecure": "FlagTests.insecure",
        "tls-min": "NetworkFlagTests.oldestTLS",
        "ipv4": "NetworkFlagTests.resolvesAsToldAndConnectsFromWhereTold",
        "ipv6": "NetworkFlagTests.resolvesAsToldAndConnectsFromWhereTold",
        "interface": "NetworkFlagTests.resolvesAsToldAndConnectsFromWhereTold",
        "resolve": "NetworkFlagTests.resolvesAsToldAndConnectsFromWhereTold", "http2": "NetworkFlagTests.http2",
        "checksum": "ChecksumFileTests.verify", "checksum-file": "ChecksumFileTests.localLists",
        "no-verify": "FlagTests.noVerifyAndNoSync", "quiet": "FlagTests.howMuchIsSaid",
        "verbose": "FlagTests.howMuchIsSaid", "json": "FlagTests.connectionsAndLeastSplit",
        "progress": "FlagTests.progress", "help": "FlagTests.versionAndHelp", "version": "FlagTests.versionAndHelp",
        "no-config": "ConfigFileTests.programReadsIt",
    ]

    /// Commands, and the test of each.
    private static let commands: [String: String] = [
        "status": "LimitFlagTests.partialElsewhere", "verify": "ChecksumFileTests.verify",
        "doctor": "FlagTests.doctor", "demo": "FlagTests.demo", "man": "CompletionTests.manualPageFormats",
        "completions": "CompletionTests.bash", "help": "CommandHelpTests.helpWithoutACommandIsAllOfIt",
    ]

    @Test(arguments: FlagTable.all.map(\.long)) func optionIsTested(_ long: String) throws {
        let place = try #require(Self.tests[long], "no test is named for --\(long)")
        let body = try Self.body(place)
        let flag = try #require(FlagTable.all.first { $0.long == long })
        let short = flag.short.map { "\"-\($0)" }
        #expect(
            body.contains("\"--\(long)\"") || body.contains("\"--\(long)=") || short.map(body.contains) == true,
            "\(place) does not give --\(long)")
    }

    @Test(arguments: Command.allCases.map(\.rawValue)) func commandIsTested(_ name: String) throws {
        let place = try #require(Self.commands[name], "no test is named for 'haul \(name)'")
        #expect(try Self.body(place).contains("\"\(name)\""), "\(place) does not run 'haul \(name)'")
    }

    @Test func theTableHasNothingElse() {
        #expect(Set(Self.tests.keys) == Set(FlagTable.all.map(\.long)))
        #expect(Set(Self.commands.keys) == Set(Command.allCases.map(\.rawValue)))
    }

    /// The text of a test that runs the program, `Suite.function`.
    private static func body(_ place: String) throws -> Substring {
        let parts = place.split(separator: ".")
        let file = String(parts[0]) + ".swift"
        let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        // Suites of both folders may have one name.
        let texts = try ["/", "/../HaulIntegrationTests/"].map { folder + $0 + file }.filter(FileContents.exists).map {
            String(decoding: try FileContents.read($0), as: UTF8.self)
        }
        let text = try #require(texts.first { $0.contains(" func \(parts[1])(") }, "\(place) is no test")
        #expect(["Program.", "HaulBinary."].contains { text.contains($0) }, "\(file) does not run the program")
        let start = try #require(text.firstRange(of: " func \(parts[1])(")?.lowerBound, "\(place) is no test")
        // Arguments of the test stand before it.
        let from = text[..<start].ranges(of: "@Test").last?.lowerBound ?? start
        let end = text[start...].firstRange(of: "\n    }\n")?.upperBound ?? text.endIndex
        return text[from..<end]
    }
}
