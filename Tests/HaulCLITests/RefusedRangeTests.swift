import HaulOrigin
import HaulTestSupport
import Testing

/// Servers that refuse a range that ends behind the file's end with 400, as webfs does.
@Suite(.temporaryDirectory) struct RefusedRangeTests {
    @Test(arguments: [Int64(0), 300, 100_000]) func theFileIsFetchedAndFoundComplete(_ size: Int64) async throws {
        let server = try OriginServer(
            OriginResource("/f", size: size, behaviors: [.refusesRangesBeyondEnd(.badRequest)]))
        let url = "http://127.0.0.1:\(server.port)/f"
        for _ in 0..<2 {
            let outcome = try await Program.run(url)
            #expect(outcome.status == .code(0), "\(outcome.errorText)")
        }
        let doctor = try await Program.run("doctor", url)
        #expect(doctor.status == .code(0), "\(doctor.errorText)")
    }
}
