import Haul
import HaulCore
import HaulOrigin
import HaulTestSupport
import Testing

/// What is left over from another answer is no news of the file.
@Suite(.temporaryDirectory, .timeLimit(.minutes(5)))
struct LeftoverTests {
    @Test(
        "An answer of another size that was broken off is no change",
        arguments: [TransportError.cancelled, .brokenInBody(detail: "reset")], [false, true])
    func brokenOff(_ error: TransportError, streams: Bool) async throws {
        let resource = OriginResource("/big.bin", size: EngineBench.size)
        var configuration = OriginConfiguration([resource])
        configuration.speed = 50
        let script = ScriptedTransport(configuration, time: .continuous(speed: 50))
        let path = TemporaryDirectory.current + "/f.bin"
        var bench = EngineBench(wire: .scripted)
        bench.streams = streams
        let (result, events) = try await bench.fetch(
            "http://origin.test/big.bin", to: path, over: LeftoverTransport(script, ending: error))
        _ = try result.get()
        #expect(FileContents.difference(of: path, from: resource) == nil)
        #expect(!events.contains { if case .restarted = $0 { true } else { false } })
    }
}
