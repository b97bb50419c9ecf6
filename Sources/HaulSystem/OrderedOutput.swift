package import HaulCore
import Synchronization

/// Passes a file that is being written in any order on to a descriptor, in order.
///
/// Whatever joins the bytes that have gone out is read back, compared with its checksum, written to the descriptor and
/// given back to the file system. Writing blocks while nobody reads: so it has a thread of its own.
package final class OrderedOutput: Sendable {
    /// How far it is.
    package struct Standing: Sendable {
        /// Bytes that have gone out.
        package var position: Int64
        /// Why nothing more goes out; nil if it goes on.
        package var failure: SystemError?
    }

    /// Bytes that can't be taken back, with their checksum.
    package struct Committed: Hashable, Sendable {
        /// Number of bytes from the beginning.
        package var length: Int64 = 0
        /// Their CRC-32C.
        package var checksum: UInt32 = 0

        /// Nothing.
        package init() {}
    }

    private struct State {
        var waiting: [FinishedRange] = []
        var committed = Committed()
        var position: Int64 = 0
        /// Position that `advance` last told.
        var told: Int64 = 0
        var failure: SystemError?
        var isStopped = false
        var isWorking = false
        var waiter: CheckedContinuation<Void, Never>?

        /// Takes out the next block that joins what is committed; drops what has been passed.
        mutating func next() -> FinishedRange? {
            guard !isStopped, failure == nil else { return nil }
            while let first = waiting.last, first.range.upperBound <= committed.length { waiting.removeLast() }
            guard let first = waiting.last, first.range.lowerBound <= committed.length else { return nil }
            return waiting.removeLast()
        }

        /// Whether there is something to tell; it counts as told then.
        ///
        /// When nothing waits any more, less than a stride is news too: it may have been the last.
        mutating func isDue() -> Bool {
            let isNews = position - told >= OrderedOutput.stride || (position > told && waiting.isEmpty)
            guard isNews || isStopped || failure != nil else { return false }
            told = position
            return true
        }
    }

    /// Bytes that go out before a waiting `advance` is told.
    private static let stride: Int64 = 1 << 20

    private let state = Mutex(State())
    private let pump: OutputPump

    /// Makes an output that has nothing to pass on yet.
    ///
    /// - Parameters:
    ///   - part: the file.
    ///   - descriptor: where the bytes go.
    ///   - digests: which digests of all bytes are wanted.
    /// - Throws: an error if a digest is not to be had.
    package init(
        of part: PartFile, to descriptor: consuming OutputDescriptor, digests: [ContentDigest.Algorithm]
    ) throws(SystemError) {
        pump = OutputPump(part, descriptor, try DigestSet(digests))
    }

    /// How far it is.
    package var standing: Standing { state.withLock { Standing(position: $0.position, failure: $0.failure) } }

    /// What can't be taken back: what has gone out, and the block that is on its way.
    package var committed: Committed { state.withLock { $0.committed } }

    /// Adds a range that was written; does not block.
    ///
    /// - Parameter range: within one block of a `SegmentWriter`; it may overlap others.
    package func add(_ range: FinishedRange) {
        let mustStart = state.withLock { state in
            let index = state.waiting.partition { $0.range.lowerBound <= range.range.lowerBound }
            state.waiting.insert(range, at: index)
            guard range.range.lowerBound <= state.committed.length else { return false }
            defer { state.isWorking = true }
            return !state.isWorking
        }
        if mustStart { Task { await pump.run(self) } }
    }

    /// Forgets what was added and is not committed: it is fetched again.
    ///
    /// - Returns: what can't be taken back.
    package func rewind() -> Committed {
        state.withLock { state in
            state.waiting = []
            return state.committed
        }
    }

    /// Returns when more has gone out, or when nothing more will; for one task.
    package func advance() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isDue = state.withLock { state in
                if state.isDue() { return true }
                state.waiter = continuation
                return false
            }
            if isDue { continuation.resume() }
        }
    }

    /// Ends it: nothing more goes out but what a write has begun with.
    package func stop() { settle { $0.isStopped = true } }

    /// The digests of what has gone out, once all has.
    ///
    /// - Throws: an error if memory is short.
    package func digests() async throws(SystemError) -> [ContentDigest] { try await pump.digests() }

    // MARK: - The pump's side

    /// The next block to pass on; nil sends the pump to rest.
    func next() -> FinishedRange? {
        state.withLock { state in
            let next = state.next()
            if next == nil { state.isWorking = false }
            return next
        }
    }

    /// Decides that a block goes out.
    ///
    /// - Returns: what of it is new; nil if nothing goes out any more.
    func commit(_ block: FinishedRange, checksumOfNew: (ByteRange) -> UInt32) -> ByteRange? {
        state.withLock { state in
            let new = ByteRange(state.committed.length, block.range.upperBound)
            guard !state.isStopped, !new.isEmpty else { return nil }
            state.committed.checksum = HardwareCRC32C.combine(
                state.committed.checksum, checksumOfNew(new), length: new.length)
            state.committed.length = new.upperBound
            return new
        }
    }

    /// Takes note that everything before `offset` has gone out.
    func wrote(to offset: Int64) { settle { $0.position = offset } }

    /// Takes note that nothing more can go out.
    func fail(_ error: SystemError) {
        settle { state in
            state.failure = state.failure ?? error
            state.isWorking = false
        }
    }

    /// Whether the engine still wants bytes to go out.
    var goesOn: Bool { state.withLock { !$0.isStopped } }

    private func settle(_ change: (inout sending State) -> Void) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            change(&state)
            guard state.waiter != nil, state.isDue() else { return nil }
            return state.waiter.take()
        }
        waiter?.resume()
    }
}

extension [FinishedRange] {
    /// Number of elements before the first that `condition` holds for, in an array where it holds from there on.
    fileprivate func partition(where condition: (FinishedRange) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
