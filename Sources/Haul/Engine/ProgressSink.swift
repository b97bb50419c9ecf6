/// Where snapshots and events of an attempt go.
struct ProgressSink: Sendable {
    /// Takes what comes.
    struct Outlet<Element: Sendable>: Sendable {
        private let send: @Sendable (Element) -> Void

        /// Makes an outlet.
        init(_ send: @escaping @Sendable (Element) -> Void) { self.send = send }

        /// Sends on.
        func yield(_ element: Element) { send(element) }
    }

    let progress: Outlet<DownloadProgress>
    let events: Outlet<DownloadEvent>

    /// Makes a sink that nobody reads.
    init() {
        progress = Outlet { _ in }
        events = Outlet { _ in }
    }

    /// Makes a sink.
    init(
        progress: @escaping @Sendable (DownloadProgress) -> Void, events: @escaping @Sendable (DownloadEvent) -> Void
    ) {
        self.progress = Outlet(progress)
        self.events = Outlet(events)
    }
}
