/// A value that changes, as a sequence: the present one, then each newer one, until the end.
///
/// Any number of readers, at any time: who comes late gets the present value first, and who is slow gets the newest and
/// not those in between. After the last value the sequence ends, for readers that come after the end too. A cancelled
/// task reads the end. Nothing is kept for readers, so that a sequence nobody reads costs nothing.
public struct DownloadUpdates<Element: Sendable>: AsyncSequence, Sendable {
    /// Reading does not fail.
    public typealias Failure = Never

    private let newest: Newest<Element>

    init(_ newest: Newest<Element>) { self.newest = newest }

    /// Begins with the present value.
    public func makeAsyncIterator() -> Iterator { Iterator(newest: newest) }

    /// Reads the values.
    public struct Iterator: AsyncIteratorProtocol {
        private let newest: Newest<Element>
        private var seen = 0

        fileprivate init(newest: Newest<Element>) { self.newest = newest }

        /// Waits for a value that is newer than the one returned before.
        ///
        /// - Returns: nil at the end, or when the task is cancelled.
        public mutating func next() async -> Element? { await next(isolation: nil) }

        /// Waits for a value that is newer than the one returned before, in an actor.
        ///
        /// - Parameter actor: where the caller runs.
        /// - Returns: nil at the end, or when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            guard let found = await newest.next(after: seen) else { return nil }
            seen = found.version
            return found.value
        }
    }
}
