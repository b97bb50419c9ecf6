import Haul
import HaulOrigin
import HaulTestSupport
import Testing

/// Going on from another tool's partial, and digests that servers volunteer.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct AdoptionTests {
    private static let size: Int64 = 1_000_000
    private let path = TemporaryDirectory.current + "/out.bin"
    private let prefix = TemporaryDirectory.current + "/other.part"
    private let resource = OriginResource("/f", size: size)

    private func run(prefix: String, _ wire: EngineBench.Wire) async throws -> EngineBench.Ending {
        try await EngineBench(wire: wire, prefix: prefix).run(resource, to: path)
    }

    @Test(arguments: [Int64(1), 100_000, 999_999, 1_000_000], EngineBench.Wire.allCases)
    func `a right prefix is not fetched again`(length: Int64, wire: EngineBench.Wire) async throws {
        try FileContents.write(resource.content.bytes(0..<length), to: prefix)
        let ending = try await run(prefix: prefix, wire)
        let receipt = try ending.result.get()
        #expect(FileContents.difference(of: path, from: resource) == nil)
        #expect(receipt.resumed == length)
        #expect(!FileContents.exists(prefix))
    }

    @Test func `the prefix may bear the final name`() async throws {
        try FileContents.write(resource.content.bytes(0..<300_000), to: path)
        let receipt = try await run(prefix: path, .scripted).result.get()
        #expect(receipt.resumed == 300_000)
        #expect(FileContents.difference(of: path, from: resource) == nil)
    }

    @Test func `a prefix of another file is refused and left alone`() async throws {
        let other = OriginResource("/f", size: Self.size, seed: 9).content.bytes(0..<300_000)
        try FileContents.write(other, to: prefix)
        let ending = try await run(prefix: prefix, .scripted)
        #expect(throws: DownloadError.self) { try ending.result.get() }
        #expect(try FileContents.read(prefix) == other)
        #expect(!FileContents.exists(path))
    }

    @Test func `a prefix that only ends alike is refused and left alone`() async throws {
        let other = OriginResource("/f", size: Self.size, seed: 9).content.bytes(0..<300_000)
        let prefixBytes = other + resource.content.bytes(300_000..<500_000)
        try FileContents.write(prefixBytes, to: prefix)
        let ending = try await run(prefix: prefix, .scripted)
        #expect(throws: DownloadError.self) { try ending.result.get() }
        #expect(try FileContents.read(prefix) == prefixBytes)
        #expect(!FileContents.exists(path))
    }

    @Test func `a prefix longer than the file is refused`() async throws {
        try FileContents.write(resource.content.bytes(0..<Self.size + 1), to: prefix)
        let ending = try await run(prefix: prefix, .scripted)
        guard case .failure(let error) = ending.result else {
            Issue.record("it was taken")
            return
        }
        #expect(error.message.contains("longer than the server's"), "\(error.message)")
        #expect(FileContents.size(of: prefix) == Self.size + 1)
    }

    /// Digest of the resource's bytes in base64.
    private func digest(_ algorithm: String) async throws -> String { Base64.encode(try await digestBytes(algorithm)) }

    /// Digest of the resource's bytes, made by a download of it.
    private func digestBytes(_ algorithm: String) async throws -> [UInt8] {
        let wrong = try Checksum("\(algorithm)=" + String(repeating: "0", count: algorithm == "sha-256" ? 64 : 8))
        let bench = EngineBench(wire: .scripted, checksums: [wrong])
        let ending = try await bench.run(resource, to: path)
        guard case .failure(let error) = ending.result, error.code == .integrity else { return [] }
        let hex = error.message.split(separator: " is ").dropFirst().first?.prefix { $0.isHexDigit } ?? ""
        return stride(from: 0, to: hex.count, by: 2).compactMap { offset -> UInt8? in
            let start = hex.index(hex.startIndex, offsetBy: offset)
            return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16)
        }
    }

    @Test(arguments: EngineBench.Wire.allCases, [false, true])
    func `the user's checksum overrules a wrong one of the server`(wire: EngineBench.Wire, streams: Bool) async throws {
        let bytes = try await digestBytes("sha-256")
        let right = try Checksum(
            "sha-256=" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
        for (field, name) in [("Repr-Digest", "sha-256"), ("Digest", "md5")] {
            var lying = resource
            let wrong = [UInt8](repeating: 7, count: name == "md5" ? 16 : 32)
            let fence = field == "Digest" ? "" : ":"
            lying.fields = [OriginField(field, "\(name)=\(fence)\(Base64.encode(wrong))\(fence)")]
            let bench = EngineBench(wire: wire, checksums: [right], streams: streams)
            let ending = try await bench.run(lying, to: path + "." + name)
            let receipt = try ending.result.get()
            #expect(receipt.verified.contains("sha-256"))
            #expect(!receipt.verified.contains { $0.contains("the server's") })
            #expect(FileContents.difference(of: path + "." + name, from: resource) == nil)
            let notices = ending.events.compactMap { if case .notice(let text) = $0 { text } else { nil } }
            #expect(notices.contains { $0.contains("070707") && $0.contains(name) }, "\(notices)")
        }
    }

    @Test(arguments: [("Repr-Digest", "sha-256", ":"), ("Digest", "sha-256", ""), ("x-goog-hash", "crc32c", "")])
    func `a digest that the server volunteers is checked`(field: String, algorithm: String, fence: String) async throws
    {
        let value = try await digest(algorithm)
        #expect(!value.isEmpty)
        var right = resource
        right.fields = [OriginField(field, "\(algorithm)=\(fence)\(value)\(fence)")]
        let good = try await EngineBench(wire: .scripted).run(right, to: path).result.get()
        #expect(good.verified.contains { $0.contains(algorithm) })
        var flipped = right
        flipped.behaviors = [.bitFlip(offset: 500_000, times: .max)]
        let bad = try await EngineBench(wire: .scripted).run(flipped, to: path + "2")
        guard case .failure(let error) = bad.result else {
            Issue.record("a flipped bit went unseen")
            return
        }
        #expect(error.code == .integrity)
        #expect(!FileContents.exists(path + "2"))
    }
}
