/// The child tasks of a run and their outcomes, among those that come from elsewhere.
///
/// A task group alone would need a child task for whatever the run waits for besides, such as the next beat of the
/// ticker, and tasks are what a small file costs most.
struct Errands<Outcome: Sendable> {
    /// Where outcomes arrive.
    let box: OutcomeBox<Outcome>
    private var group: DiscardingTaskGroup
    /// Child tasks whose outcome has not been taken out yet.
    private var running = 0

    /// Makes it without child tasks.
    ///
    /// - Parameters:
    ///   - group: what the child tasks run in.
    ///   - box: where outcomes arrive.
    init(in group: DiscardingTaskGroup, _ box: OutcomeBox<Outcome>) {
        self.group = group
        self.box = box
    }

    /// Begins a child task.
    mutating func addTask(_ errand: @escaping @Sendable () async -> Outcome) {
        running += 1
        let box = box
        group.addTask { box.send(await errand(), endsErrand: true) }
    }

    /// Counts something that goes on elsewhere, and sends its outcome here like a child task.
    mutating func expectErrand() { running += 1 }

    /// Waits for the next outcome, of whatever kind.
    mutating func next() async -> Outcome {
        let letter = await box.next()
        if letter.endsErrand { running -= 1 }
        return letter.outcome
    }

    /// Waits for the outcome of the next child task that ends; nil if none is left.
    mutating func nextOfTask() async -> Outcome? {
        while running > 0 {
            let letter = await box.next()
            guard letter.endsErrand else { continue }
            running -= 1
            return letter.outcome
        }
        return nil
    }

    /// Cancels the child tasks, and those that are still to come.
    func cancelAll() { group.cancelAll() }
}
