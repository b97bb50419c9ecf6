import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// Options for time, rate and place.
@Suite(.temporaryDirectory, .serialized) struct LimitFlagTests {
    /// Seconds of the last event, nil if it has none.
    private func seconds(_ json: String) -> Double? {
        guard let start = json.firstRange(of: #""seconds":"#)?.upperBound else { return nil }
        return Double(json[start...].prefix { $0.isNumber || $0 == "." })
    }

    @Test(arguments: [1, 6])
    func rateHoldsOverAllConnections(_ connections: Int) async throws {
        let server = try OriginServer(OriginResource("/f", size: 12 << 20))
        var shortest = Double.infinity
        // A machine busy with other tests may take longer, but never less.
        for attempt in 1...8 where shortest > 4.2 {
            let outcome = try await Program.run(
                "--json", "--limit-rate", "3M", "-n\(connections)", "-o", "f\(attempt)", server.url(for: "/f"))
            #expect(outcome.status == .code(0), "\(outcome.errorText)")
            shortest = min(shortest, try #require(seconds(outcome.outputText)))
        }
        #expect((3.8...4.2).contains(shortest), "\(shortest) s instead of 4")
        if connections > 1 { #expect(server.connectionsAccepted > 1) }
    }

    @Test func timeRunsOut() async throws {
        var configuration = OriginConfiguration([OriginResource("/f", size: 8 << 20)])
        configuration.totalRate = 1 << 20
        let server = try OriginServer(configuration)
        let clock = ContinuousClock()
        let start = clock.now
        let outcome = try await Program.run("--max-time", "1.5", server.url(for: "/f"))
        #expect(clock.now - start < .seconds(5))
        #expect(outcome.status == .code(3))
        #expect(outcome.errorText.contains("not finished within the longest time allowed (--max-time)"))
        #expect(FileContents.names(in: TemporaryDirectory.current) == ["f.haul", "f.haul-journal"])
        server.limit()
        let again = try await Program.run("--json", "--max-time", "60", server.url(for: "/f"))
        #expect(again.status == .code(0), "\(again.errorText)")
        #expect(!again.outputText.contains(#""resumed":0"#))
    }

    /// `/dev/shm` is another file system than the temporary directory on most machines.
    @Test(arguments: ["/dev/shm", nil])
    func partialElsewhere(_ parent: String?) async throws {
        let place = "\(parent ?? TemporaryDirectory.current)/haul-test-\(getpid())-partial"
        mkdir(place, 0o700)
        defer { TemporaryDirectory.remove(place) }
        let resource = OriginResource("/f", size: 8 << 20)
        var configuration = OriginConfiguration([resource])
        configuration.totalRate = 2 << 20
        let server = try OriginServer(configuration)
        let words = ["--temp-directory", place, "-o", "out"]
        let stopped = try await Program.run(words + ["--max-time", "1.5", server.url(for: "/f")])
        #expect(stopped.status == .code(3))
        #expect(FileContents.names(in: place) == ["out.haul", "out.haul-journal"])
        let status = try await Program.run("status", "--temp-directory", place, "out")
        #expect(status.status == .code(0) && status.outputText.contains("of 8.00 MiB"))
        #expect(!FileContents.names(in: TemporaryDirectory.current).contains { $0.hasPrefix("out") })
        let done = try await Program.run(words + [server.url(for: "/f")])
        #expect(done.status == .code(0), "\(done.errorText)")
        #expect(FileContents.difference(of: Program.file("out"), from: resource) == nil)
        #expect(FileContents.names(in: place).isEmpty)
    }
}
