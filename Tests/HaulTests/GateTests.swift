import Testing

@testable import Haul

struct GateTests {
    @Test
    func whoHasWaitedIsWokenWhenSeveralPlacesAreFree() async {
        let gate = Gate(4, wakingFor: 3)
        for _ in 0..<4 { await gate.wait() }
        let passed = Counter()
        let task = Task {
            for _ in 0..<3 {
                await gate.wait()
                passed.add(1)
            }
        }
        while !gate.hasWaiter { await Task.yield() }
        gate.signal()
        gate.signal()
        #expect(gate.hasWaiter)
        gate.signal()
        await task.value
        #expect(passed.value == 3)
    }

    @Test
    func moreThanThereAreIsNeverWaitedFor() async {
        let gate = Gate(1, wakingFor: 32)
        await gate.wait()
        let task = Task { await gate.wait() }
        while !gate.hasWaiter { await Task.yield() }
        gate.signal()
        await task.value
    }
}
