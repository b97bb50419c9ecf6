import Haul
import HaulOrigin
import HaulTestSupport
import Testing

/// Every conduct of an origin, for bytes that go out in order: all of them, or the beginning of one version and a named
/// failure.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct StreamConformanceTests {
    private let path = TemporaryDirectory.current + "/out.bin"

    private func run(
        _ behavior: OriginBehavior, _ wire: EngineBench.Wire, range: DownloadRequest.RequestedRange? = nil,
        streams: Bool = true
    ) async throws -> (ending: EngineBench.Ending, resource: OriginResource) {
        let resource = OriginResource(EngineBench.resourcePath, size: EngineBench.size, behavior: behavior)
        var bench = EngineBench(wire: wire, streams: streams, range: range)
        if behavior == .headByteByByte { bench.speed = 5 }
        return (try await bench.run(resource, to: path), resource)
    }

    @Test(arguments: OriginBehavior.allCases, EngineBench.Wire.allCases)
    func allBytesOrTheBeginningOfOneVersion(behavior: OriginBehavior, wire: EngineBench.Wire) async throws {
        let (ending, resource) = try await run(behavior, wire)
        let out = try FileContents.read(path)
        var versions = [resource]
        switch EngineConformanceTests().expectation(of: behavior, over: wire) {
        case .undetectable: return
        case .empty:
            #expect(throws: Never.self) { try ending.result.get() }
            return #expect(out.isEmpty)
        case .file:
            guard case .failure(let error) = ending.result else { break }
            // A tag that comes back proves that it means nothing; by then bytes have gone out.
            if behavior == .flappingETag, error.code == .resourceChanged { break }
            Issue.record("\(error.code): \(error.message) \(ending.events)")
        case .changed(let change), .eitherNode(let change): versions.append(change.changed(resource))
        case .failure(let codes):
            if case .failure(let error) = ending.result {
                #expect(codes.contains(error.code), "\(error.code): \(error.message)")
            } else if case .totalChanges = behavior {
                // Where one answer brought all that it announced, that is a version.
                versions = [OriginResource(resource.path, size: Int64(out.count), behavior: behavior)]
                #expect((1...4).contains(Int64(out.count) - resource.size))
            } else {
                Issue.record("succeeded where only a failure is right")
            }
        }
        let beginnings = versions.filter { out == $0.content.bytes(0..<min(Int64(out.count), $0.size)) }
        #expect(!beginnings.isEmpty, "\(out.count) bytes went out, of no single version")
        switch ending.result {
        case .success(let receipt):
            #expect(receipt.bytes == Int64(out.count))
            #expect(beginnings.contains { $0.size == Int64(out.count) })
        case .failure(let error):
            if versions.count > 1 { #expect(error.code == .resourceChanged, "\(error.code): \(error.message)") }
        }
    }

    private static let slices: [DownloadRequest.RequestedRange] = [
        .bytes(100_003..<300_001), .from(399_000), .last(150_000), .bytes(390_000..<500_000), .bytes(7..<8),
    ]

    private static let fair = OriginBehavior.allCases.filter { behavior in
        if case .file = EngineConformanceTests().expectation(of: behavior) { true } else { false }
    }

    private func bytes(_ range: DownloadRequest.RequestedRange, of resource: OriginResource) -> [UInt8] {
        switch range {
        case .bytes(let range): resource.content.bytes(range.clamped(to: 0..<resource.size))
        case .from(let first): resource.content.bytes(first..<resource.size)
        case .last(let count): resource.content.bytes(resource.size - count..<resource.size)
        }
    }

    @Test(arguments: fair, EngineBench.Wire.allCases)
    func aPartIsThatPart(behavior: OriginBehavior, wire: EngineBench.Wire) async throws {
        guard case .file = EngineConformanceTests().expectation(of: behavior, over: wire) else { return }
        let (ending, resource) = try await run(behavior, wire, range: Self.slices[0], streams: false)
        #expect(try ending.result.get().bytes == 199_998)
        #expect(try FileContents.read(path) == bytes(Self.slices[0], of: resource))
        #expect(FileContents.names(in: TemporaryDirectory.current) == ["out.bin"])
    }

    @Test(arguments: slices, [OriginBehavior.honest, .noRanges, .chunkedUnknownLength, .unknownTotal])
    func everyKindOfRange(range: DownloadRequest.RequestedRange, behavior: OriginBehavior) async throws {
        for streams in [false, true] {
            let (ending, resource) = try await run(behavior, .scripted, range: range, streams: streams)
            if case .last = range, [.chunkedUnknownLength, .unknownTotal].contains(behavior) {
                #expect(throws: DownloadError.self) { try ending.result.get() }
                continue
            }
            _ = try ending.result.get()
            #expect(try FileContents.read(path) == bytes(range, of: resource))
            try FileContents.write([], to: path)
        }
    }

    @Test(arguments: [OriginBehavior.honest, .noRanges, .chunkedUnknownLength], EngineBench.Wire.allCases)
    func aRangeBeyondTheEndIsRefused(behavior: OriginBehavior, wire: EngineBench.Wire) async throws {
        let (ending, _) = try await run(behavior, wire, range: .from(EngineBench.size), streams: false)
        guard case .failure(let error) = ending.result else {
            Issue.record("succeeded")
            return
        }
        #expect(error.code == .refused(status: 416), "\(error.code): \(error.message)")
        #expect(error.message.contains("400000"), "\(error.message)")
        #expect(FileContents.names(in: TemporaryDirectory.current).isEmpty)
    }
}
