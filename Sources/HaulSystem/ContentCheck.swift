package import HaulCore
import Synchronization

/// The check that follows a download: reads written ranges back while their pages are still in memory, compares them with
/// what came off the wire, and computes digests of the whole file over its contiguous front.
///
/// Without digests ranges are checked as they come. With digests one pass in file order serves both; ranges behind a gap
/// wait for it. Every range that is written must be added, also one that is written twice: what it overlaps is then read
/// again, since the later write may have brought other bytes.
///
/// Work is done on the given thread in steps of 1 MiB, so that several downloads may share it. Dropping the last reference
/// ends it.
package actor ContentCheck {
    private enum Command {
        case add([FinishedRange])
        case forget(ByteRange)
        case distrust
        case reset
    }

    private struct Inbox {
        var commands: [Command] = []
        var isWorking = false
    }

    private let thread: ThreadExecutor
    private let followsFront: Bool
    private var pass: CheckPass
    private let inbox = Mutex(Inbox())
    private let checked = Atomic<Int64>(0)
    private let verified = Mutex<[ByteRange]>([])

    /// Makes a check that has nothing to do yet.
    ///
    /// - Parameters:
    ///   - part: the file.
    ///   - digests: which digests of the whole file are wanted.
    ///   - thread: where to work.
    ///   - startsWriteback: whether to start writing ranges to the disk as they come, so that a final sync finds little to
    ///     do.
    ///   - followsFront: whether ranges are read as they come, and not at the end only.
    package init(
        part: PartFile, digests: [ContentDigest.Algorithm], thread: ThreadExecutor, startsWriteback: Bool = true,
        followsFront: Bool = true
    ) {
        self.thread = thread
        self.followsFront = followsFront
        pass = CheckPass(part: part, algorithms: digests, startsWriteback: startsWriteback)
    }

    nonisolated package var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Bytes that were read back and found good, for progress.
    nonisolated package var checkedBytes: Int64 { checked.load(ordering: .relaxed) }

    /// Ranges that were read back and found good, for progress.
    nonisolated package var verifiedRanges: [ByteRange] { verified.withLock { $0 } }

    /// Adds ranges that were written.
    ///
    /// Does not block; any thread may call it.
    ///
    /// - Parameter ranges: what was written, in any order; ranges may overlap.
    nonisolated package func add(_ ranges: [FinishedRange]) {
        if !ranges.isEmpty { submit(.add(ranges)) }
    }

    /// Drops what is known about the ranges within `range`: call it before the range is fetched again, then add what
    /// replaces it.
    ///
    /// Does not block.
    ///
    /// - Parameter range: a bad range, or anything that is written again.
    nonisolated package func forget(_ range: ByteRange) { submit(.forget(range)) }

    /// Has everything that was found good read once more: something changes the file, or the disk does.
    ///
    /// Does not block.
    nonisolated package func distrust() { submit(.distrust) }

    /// Begins anew, as for a file that starts over.
    ///
    /// Does not block.
    nonisolated package func reset() { submit(.reset) }

    /// Waits until everything that was added is checked, and the digests are computed if nothing is bad or missing.
    ///
    /// May be called again after bad ranges were fetched again and added. If the calling task is cancelled it returns
    /// within a step with what was found so far, and whatever was not read yet is `missing`.
    ///
    /// - Parameter size: size of the file.
    /// - Returns: what was found.
    package nonisolated func finish(size: Int64) async -> ContentReport {
        // What is not read as it comes is small: there is nobody to let go first.
        guard !followsFront, thread.isCurrent else { return await finishInSteps(size: size) }
        return finishHere(size: size)
    }

    private nonisolated func finishHere(size: Int64) -> ContentReport {
        assumeIsolated { check in
            while !Task.isCancelled, check.step(draining: true) {}
            return check.pass.report(size: size)
        }
    }

    private func finishInSteps(size: Int64) async -> ContentReport {
        while !Task.isCancelled, step(draining: true) { await Task.yield() }
        return pass.report(size: size)
    }

    private nonisolated func submit(_ command: Command) {
        let isFirst = inbox.withLock { inbox in
            inbox.commands.append(command)
            guard followsFront else { return false }
            defer { inbox.isWorking = true }
            return !inbox.isWorking
        }
        guard isFirst else { return }
        Task(executorPreference: thread) { [weak self] in
            while await self?.stepOrRest() == true {}
        }
    }

    /// One step of the background work.
    ///
    /// - Returns: false if there is nothing to do until the next command.
    private func stepOrRest() -> Bool {
        if step(draining: false) { return true }
        return inbox.withLock { inbox in
            inbox.isWorking = !inbox.commands.isEmpty
            return inbox.isWorking
        }
    }

    private func step(draining: Bool) -> Bool {
        let commands = inbox.withLock { inbox in
            let commands = inbox.commands
            inbox.commands = []
            return commands
        }
        for command in commands {
            switch command {
            case .add(let ranges): pass.add(ranges)
            case .forget(let range): pass.forget(range)
            case .distrust: pass.distrust()
            case .reset: pass.reset()
            }
        }
        let worked = pass.step(draining: draining)
        checked.store(pass.checkedBytes, ordering: .relaxed)
        verified.withLock { $0 = pass.verified.ranges }
        return worked
    }
}
