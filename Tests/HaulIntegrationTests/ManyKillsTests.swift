import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// SIGKILL at seeded moments, from the first millisecond to the rename: `HAUL_KILLS=100` for a hundred of them.
@Suite(.serialized, .temporaryDirectory, .timeLimit(.minutes(30)))
struct ManyKillsTests {
    /// When the program dies.
    enum Moment: Hashable, Sendable, CustomTestStringConvertible {
        /// So long after its start.
        case time(Duration)
        /// When this part of the bytes has gone out, in thousandths.
        case bytes(Int64)
        /// So long after the last byte has gone out.
        case end(Duration)

        var testDescription: String {
            switch self {
            case .time(let time): "\(time) after the start"
            case .bytes(let thousandths): "\(thousandths) ‰"
            case .end(let time): "\(time) after the last byte"
            }
        }
    }

    private static let rate: Int64 = 6 << 20
    private static let resource = OriginResource("/big.bin", size: 6_000_001, seed: 12)
    private static let connections = [8, 4, 1, 16, 2]

    private static let moments: [Moment] = {
        var random = SeededRandom(seed: 61)
        return (0..<TestEffort.count("HAUL_KILLS", usual: 4)).map { index in
            switch index % 4 {
            case 0: .time(.microseconds(Int.random(in: 1000...120_000, using: &random)))
            case 1: .end(.microseconds(Int.random(in: 0...40_000, using: &random)))
            default: .bytes(Int64.random(in: 0...999, using: &random))
            }
        }
    }()

    @Test(arguments: Array(moments.enumerated()).map(\.offset))
    func goesOnAfterEachDeath(_ index: Int) async throws {
        let moment = Self.moments[index]
        let connections = Self.connections[index % Self.connections.count]
        let server = try Origin.limited(Self.resource, rate: Self.rate)
        let words = ["--json", "-o", "f", server.url(for: "/big.bin")] + Origin.smallSplit
        let doomed = try Program.start(["-n", "\(connections)"] + words)
        switch moment {
        case .time(let time): try await ContinuousClock().sleep(for: time)
        case .bytes(let thousandths):
            let count = Self.resource.size * thousandths / 1000
            try await Waiting.until("\(count) bytes") { server.bytesSent >= count || doomed.hasEnded }
        case .end(let time):
            try await Waiting.until("the end") { server.bytesSent >= Self.resource.size || doomed.hasEnded }
            try await ContinuousClock().sleep(for: time)
        }
        doomed.signal(SIGKILL)
        let death = await doomed.wait()
        #expect([.signal(SIGKILL), .code(0)].contains(death.status), "\(moment): \(death.errorText)")
        if FileContents.exists(Program.file("f")) {
            #expect(FileContents.difference(of: Program.file("f"), from: Self.resource) == nil, "\(moment)")
        }

        server.dropConnections()
        server.limit()
        let before = server.bytesSent
        let outcome = try await Program.run(["-n", "\(Self.connections[(index + 2) % 5])"] + words)
        #expect(outcome.status == .code(0), "\(moment): \(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: Self.resource) == nil, "\(moment)")
        #expect(Program.names == ["f"])
        // What is missing, a second's worth, what may lie in the sockets, and what is compared of the old.
        let missing = Self.resource.size - min(before, Self.resource.size)
        let allowed = missing + Self.rate + 16 * (64 << 10) + (64 << 10)
        #expect(server.bytesSent - before <= allowed, "\(moment): \(server.bytesSent - before) of \(missing) missing")
    }
}
