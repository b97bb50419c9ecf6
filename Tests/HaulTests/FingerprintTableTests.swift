import HaulTestSupport
import Testing

@testable import Haul

struct FingerprintTableTests {
    @Test func doesWhatASetDoes() {
        var random = SeededRandom(seed: 11)
        var table = FingerprintTable()
        var model: Set<Int> = []
        for _ in 0..<50_000 {
            let number = Int.random(in: 0..<5000, using: &random)
            if Bool.random(using: &random) {
                let isNew = table.insert(Fingerprint("\(number)"))
                #expect(isNew == model.insert(number).inserted)
            } else {
                table.remove(Fingerprint("\(number)"))
                model.remove(number)
            }
        }
        #expect(table.count == model.count)
        for number in 0..<5000 { #expect(table.contains(Fingerprint("\(number)")) == model.contains(number)) }
    }

    @Test func endsWhenOnlyRemovedOnesAreLeft() {
        var table = FingerprintTable()
        for number in 0..<1000 {
            let isNew = table.insert(Fingerprint("\(number)"))
            #expect(isNew)
            table.remove(Fingerprint("\(number)"))
        }
        #expect(table.count == 0 && !table.contains(Fingerprint("x")))
    }

    @Test func whatTellsRequestsApartIsInTheirFingerprint() throws {
        let request = DownloadRequest("http://h.test/f", to: "f")
        var pieces = request
        pieces.pieces = try PieceChecksums(length: 1 << 20, [.sha256(String(repeating: "0", count: 64))])
        var otherPieces = request
        otherPieces.pieces = try PieceChecksums(length: 1 << 20, [.sha256(String(repeating: "1", count: 64))])
        var nobodys = request
        nobodys.secretsOwner = .nobody
        var others = request
        others.secretsOwner = .address("http://o.test/")
        var later = request
        later.priority = .low
        let all = [request, pieces, otherPieces, nobodys, others]
        #expect(Set(all.map(\.fingerprint)).count == all.count)
        #expect(later.fingerprint == request.fingerprint)
    }
}
