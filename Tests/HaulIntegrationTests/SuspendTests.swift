import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// A program that is stopped and goes on, as after a laptop's sleep: all connections are gone meanwhile.
@Suite(.serialized, .temporaryDirectory, .timeLimit(.minutes(10)))
struct SuspendTests {
    private static let resource = OriginResource("/big.bin", size: 6_000_001, seed: 31)
    private static let rate: Int64 = 2 << 20

    /// State of a process as `/proc/PID/stat` has it: `T` when it is stopped.
    private func state(of pid: Int32) -> Character? {
        guard let bytes = try? FileContents.read("/proc/\(pid)/stat") else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.lastIndex(of: ")").flatMap { text[$0...].dropFirst(2).first }
    }

    @Test(arguments: [1, 4, 16], [false, true])
    func goesOnWhenAllConnectionsAreGone(connections: Int, outlastsStall: Bool) async throws {
        let server = try Origin.limited(Self.resource, rate: Self.rate, after: 4_000_000)
        let process = try Program.start(
            ["--json", "-n", "\(connections)", "--stall-timeout", outlastsStall ? "1" : "20", "-o", "f"]
                + Origin.smallSplit + [server.url(for: "/big.bin")])
        try await Waiting.until("a third") { server.bytesSent >= 2_000_000 || process.hasEnded }
        process.signal(SIGSTOP)
        try await Waiting.until("the stop") { state(of: process.pid) == "T" || process.hasEnded }
        server.dropConnections()
        let stopped = ContinuousClock().now
        let pause = Duration.milliseconds(outlastsStall ? 2500 : 100)
        try await Waiting.until("the pause") { ContinuousClock().now - stopped > pause }
        server.limit()
        process.signal(SIGCONT)
        let outcome = await process.wait()
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: Self.resource) == nil)
        #expect(Program.names == ["f"])
        // What lay in the sockets when they were dropped is lost, a second's worth at most.
        #expect(server.bytesSent <= Self.resource.size + Self.rate + 16 * (64 << 10), "\(server.bytesSent)")
    }
}
