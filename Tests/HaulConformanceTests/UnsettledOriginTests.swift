import Haul
import HaulOrigin
import HaulTestSupport
import Testing

/// Origins that never settle on one version: one whole version or a named failure, and an end in any case.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct UnsettledOriginTests {
    private func fetch(
        etag: String?, _ change: OriginChange, _ wire: EngineBench.Wire
    ) async throws -> (ending: EngineBench.Ending, versions: [OriginResource]) {
        let resource = OriginResource(
            EngineBench.resourcePath, size: EngineBench.size, etag: etag, lastModified: nil,
            behaviors: [.changesContent(change)])
        let ending = try await EngineBench(wire: wire).run(resource, to: TemporaryDirectory.current + "/out.bin")
        return (ending, [resource, change.changed(resource)])
    }

    private func check(_ ending: EngineBench.Ending, _ versions: [OriginResource]) {
        switch ending.result {
        case .success:
            #expect(versions.map { FileContents.difference(of: ending.path, from: $0) }.contains(nil))
        case .failure(let error):
            #expect(error.code == .resourceChanged, "\(error.message)")
            #expect(!FileContents.exists(ending.path))
        }
    }

    @Test(arguments: EngineBench.Wire.allCases)
    func nodesThatDisagreeInSilenceDoNotKeepItRestarting(wire: EngineBench.Wire) async throws {
        let (ending, versions) = try await fetch(etag: nil, OriginChange(.otherNode, silently: true), wire)
        check(ending, versions)
        #expect(ending.requests.count < 300)
    }

    /// Bytes that are all alike prove nothing, but they are compared.
    @Test(arguments: [EngineBench.Wire.scripted, .curl])
    func zerosInPlaceOfARangeAreFound(wire: EngineBench.Wire) async throws {
        // Large, so that hardly any block lies at the edge of the zeros.
        let resource = OriginResource(
            EngineBench.resourcePath, size: 16 << 20, etag: nil, lastModified: nil,
            behaviors: [.blankRange(after: 1)])
        let ending = try await EngineBench(wire: wire).run(resource, to: TemporaryDirectory.current + "/out.bin")
        _ = try ending.result.get()
        #expect(FileContents.difference(of: ending.path, from: resource) == nil)
        #expect(ending.events.contains { if case .restarted = $0 { true } else { false } })
    }

    @Test(arguments: EngineBench.Wire.allCases)
    func tagsThatAlternateWithoutADateAreVersions(wire: EngineBench.Wire) async throws {
        let change = OriginChange(.otherNode, heedsIfRange: false, alters: 7)
        let (ending, versions) = try await fetch(etag: "\"v1\"", change, wire)
        check(ending, versions)
    }
}
