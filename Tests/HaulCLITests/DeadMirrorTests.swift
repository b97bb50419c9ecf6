import HaulOrigin
import HaulTestSupport
import Testing

/// Addresses of one file of which some are dead: whatever the file's size, those that were asked are named.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10))) struct DeadMirrorTests {
    @Test(arguments: [3000, 24 << 20] as [Int64], [true, false])
    func theDeadAreNamed(_ size: Int64, _ isListed: Bool) async throws {
        let server = try OriginServer(OriginResource("/f", size: size))
        let dead = ["http://127.0.0.1:9/f", server.url(for: "/none")]
        for (number, order) in [[dead[0], dead[1], server.url(for: "/f")], [dead[1], server.url(for: "/f")]]
            .enumerated()
        {
            var words = ["-o", "x\(number)"] + order.dropFirst().flatMap { ["--mirror", $0] } + [order[0]]
            if isListed {
                try Program.write(order.joined(separator: "\t") + "\n out=x\(number)\n", to: "list")
                words = ["-i", "list"]
            }
            let outcome = try await Program.run(words)
            #expect(outcome.status == .code(0), "\(outcome.errorText)")
            #expect(
                outcome.errorText.contains("\(server.url(for: "/none")) is left out: HTTP 404\n"),
                "\(outcome.errorText)")
            let refused = "\(dead[0]) is left out: 127.0.0.1 refused the connection on port 9\n"
            #expect(outcome.errorText.contains(refused) == (number == 0), "\(outcome.errorText)")
        }
    }

    /// A mirror that is asked while the first address brings everything.
    @Test func lateWordsAreHeard() async throws {
        var configuration = OriginConfiguration([OriginResource("/f", size: 12 << 20)])
        configuration.totalRate = 6 << 20
        let server = try OriginServer(configuration)
        let outcome = try await Program.run("--mirror", server.url(for: "/none"), server.url(for: "/f"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(
            outcome.errorText.contains("\(server.url(for: "/none")) is left out: HTTP 404\n"), "\(outcome.errorText)")
    }
}
