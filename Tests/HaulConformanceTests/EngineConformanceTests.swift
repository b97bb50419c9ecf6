import Haul
import HaulOrigin
import HaulTestSupport
import Testing

/// Every conduct of an origin, over both transports: right bytes under the final name, or a named failure and no file.
@Suite(.temporaryDirectory, .timeLimit(.minutes(5)))
struct EngineConformanceTests {
    @Test(arguments: OriginBehavior.allCases, EngineBench.Wire.allCases)
    func rightBytesOrNamedFailure(behavior: OriginBehavior, wire: EngineBench.Wire) async throws {
        let path = TemporaryDirectory.current + "/out.bin"
        let resource = OriginResource(EngineBench.resourcePath, size: EngineBench.size, behavior: behavior)
        let ending = try await EngineBench(wire: wire).run(resource, to: path)
        switch ending.result {
        case .success(let receipt): print("OUTCOME", wire, behavior, "ok", receipt.requests, receipt.received)
        case .failure(let error): print("OUTCOME", wire, behavior, error.code, error.message)
        }
    }
}
