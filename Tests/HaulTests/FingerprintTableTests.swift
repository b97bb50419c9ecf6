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
}
