import Synchronization

/// The events of a download, newest 64, for one reader who may come late or never.
///
/// The sequence is made for the reader: most downloads of a large batch have none, and it costs more than keeping what
/// happened.
final class EventRow: Sendable {
    private struct State {
        /// What happened before there was a reader.
        var kept: [DownloadEvent] = []
        var isFinished = false
        var stream: AsyncStream<DownloadEvent>?
        var sink: AsyncStream<DownloadEvent>.Continuation?
    }

    /// Most events that are kept.
    private static let capacity = 64

    private let state = Mutex(State())

    /// Makes an empty row.
    init() {}

    /// The one sequence of the events.
    var stream: AsyncStream<DownloadEvent> {
        state.withLock { state in
            if let stream = state.stream { return stream }
            let (stream, sink) = AsyncStream.makeStream(
                of: DownloadEvent.self, bufferingPolicy: .bufferingNewest(Self.capacity))
            // Nobody reads yet: this wakes nobody.
            for event in state.kept { sink.yield(event) }
            if state.isFinished { sink.finish() }
            state.kept = []
            state.stream = stream
            state.sink = sink
            return stream
        }
    }

    /// Adds an event; for one task at a time.
    func add(_ event: DownloadEvent) {
        let sink = state.withLock { state in
            if state.sink == nil, !state.isFinished {
                if state.kept.count == Self.capacity { state.kept.removeFirst() }
                state.kept.append(event)
            }
            return state.sink
        }
        sink?.yield(event)
    }

    /// No other event follows.
    func finish() {
        let sink = state.withLock { state in
            state.isFinished = true
            return state.sink
        }
        sink?.finish()
    }
}
