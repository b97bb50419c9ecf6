/// One request that the scheduler wants sent.
package struct FetchOrder: Hashable, Sendable {
    /// Index of the worker.
    package var slot: Int
    /// What is wanted; the upper bound is `Int64.max` when the end is unknown.
    package var range: ByteRange
    /// Whether it asks for a range, or for the whole file.
    package var asksForRange: Bool
    /// Whether it is the first request, which tells what the resource is.
    package var isProbe: Bool
    /// Whether it must go to the original address, because the one that redirects led to has expired.
    package var resolvesAnew: Bool
    /// Whether an idle connection must not carry it, because the last one went wrong.
    package var needsFreshConnection: Bool
}
