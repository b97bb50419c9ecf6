import HaulCore
import HaulSystem

/// Mirrors: when they come in, and when a source is given up.
extension DownloadRun {
    /// Bytes on hand before mirrors are compared with them.
    private static var enoughToCompare: Int64 { 256 << 10 }
    /// Blocks that a mirror must agree in.
    private static var comparedBlocks: Int { 8 }

    /// Compares mirrors with what is on hand, as soon as there is something.
    ///
    /// Until its samples agree no byte of a mirror is used.
    mutating func questionMirrors(in group: inout TaskGroup<Outcome>) {
        guard scheduler.isTransferring, let size = scheduler.size, let store else { return }
        let finished = recorded
        guard finished.total >= min(Self.enoughToCompare, size / 2), !finished.isEmpty else { return }
        let ranges = SampleBlocks(within: finished, count: Self.comparedBlocks, seed: engine.seed &+ 2).ranges
        let sampler = Sampler(engine: engine, sender: sender)
        for index in sources.unknown {
            sources.question(index)
            let url = sources[index].url
            let slot = Slot(engine.firstSlot + engine.splitPolicy.connections + index)
            group.addTask {
                var blocks: [(range: ByteRange, bytes: [UInt8])] = []
                do throws(SystemError) {
                    for range in ranges { blocks.append((range, try await store.read(range))) }
                } catch {
                    return .mirror(index, refutation: error.message)
                }
                return .mirror(index, refutation: await sampler.refutation(of: blocks, size: size, at: url, on: slot))
            }
        }
    }

    /// Lets a mirror in, or leaves it out with a warning.
    mutating func judgeMirror(_ index: Int, _ refutation: String?) {
        guard let refutation else { return sources.admit(index) }
        giveUp(index, because: refutation)
    }

    /// Whether a request's end is the fault of its source while another goes on with the work.
    mutating func blames(_ index: Int, _ cause: FlightEnd.Cause) -> Bool {
        switch cause {
        case .complete, .wholeFile, .aborted: false
        case .refused(.changed(let reason, _)):
            // What a mirror changed into is of no interest; the primary's change is a restart.
            index != sources.primary && giveUp(index, because: reason)
        case .refused(.status(let status, _)):
            isCovered(index, isFinal: isFinal(RetryPolicy().classify(status: status)))
        case .refused(let refusal):
            index != sources.primary && giveUp(index, because: refusal.summary)
        case .broke(let error):
            isCovered(index, isFinal: RetryPolicy().classify(error) == .fatal)
        }
    }

    private func isFinal(_ failure: FailureClass) -> Bool {
        switch failure {
        case .final, .fatal: true
        case .retryable, .refusedConnection, .cancelled: false
        }
    }

    /// Whether another source does the work of one that failed.
    mutating func isCovered(_ index: Int, isFinal: Bool) -> Bool {
        guard sources.hasAlternatives else { return false }
        let othersLive = workers.values.contains { $0.source == index && $0.receiver.sighting.isAnswered }
        let isCovered = sources.failed(index, isFinal: isFinal, othersLive: othersLive)
        if sources[index].standing == .dropped { announce(index, because: "it failed") }
        return isCovered
    }

    @discardableResult
    private mutating func giveUp(_ index: Int, because reason: String) -> Bool {
        guard sources.drop(index) else { return false }
        announce(index, because: reason)
        return true
    }

    private func announce(_ index: Int, because reason: String) {
        engine.sink.events.yield(.notice("\(sources[index].url.redacted) is left out: \(reason)"))
    }
}
