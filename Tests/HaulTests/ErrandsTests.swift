import Testing

@testable import Haul

struct ErrandsTests {
    @Test
    func outcomesOfTasksAndOthersComeInTheOrderInWhichTheyWereSent() async {
        let box = OutcomeBox<Int>()
        let seen = await withDiscardingTaskGroup(returning: [Int].self) { tasks in
            var errands = Errands(in: tasks, box)
            var seen: [Int] = []
            box.send(1)
            box.send(2)
            seen.append(await errands.next())
            seen.append(await errands.next())
            errands.addTask { 3 }
            seen.append(await errands.next())
            return seen
        }
        #expect(seen == [1, 2, 3])
    }

    @Test
    func theTasksThatAreLeftAreWaitedForAndNothingElse() async {
        let box = OutcomeBox<Int>()
        let left = await withDiscardingTaskGroup(returning: [Int].self) { tasks in
            var errands = Errands(in: tasks, box)
            var left: [Int] = []
            let gate = OutcomeBox<Void>()
            for number in 1...3 {
                errands.addTask {
                    _ = await gate.next()
                    return number
                }
                box.send(-number)
                gate.send(())
                while let outcome = await errands.nextOfTask() { left.append(outcome) }
            }
            return left
        }
        #expect(left == [1, 2, 3])
    }

    @Test
    func cancellingReachesThoseThatAreStillToCome() async {
        let box = OutcomeBox<Bool>()
        let wasCancelled = await withDiscardingTaskGroup(returning: Bool?.self) { tasks in
            var errands = Errands(in: tasks, box)
            errands.cancelAll()
            errands.addTask { Task.isCancelled }
            return await errands.nextOfTask()
        }
        #expect(wasCancelled == true)
    }
}
