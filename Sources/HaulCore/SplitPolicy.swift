/// How a download may be divided between connections; sizes are in bytes.
package struct SplitPolicy: Hashable, Sendable {
    /// Most connections at once.
    package var connections = 8
    /// Whether the number of connections is found out under way, up to `connections`.
    package var growsConnections = false
    /// No range is made smaller than this to give another connection work: below it a request costs more than it wins.
    package var minimumSplit: Int64 = 1 << 20
    /// The same for the last pieces of a slow transfer, which decide when the file is there: half a second's worth, but
    /// never less than this.
    package var leastPiece: Int64 = 256 << 10
    /// Most bytes that one request asks for; nil gives each connection its whole share at once.
    ///
    /// A bound makes the file fill from the front, which lets digests follow the transfer.
    package var maximumShare: Int64?
    /// Cuts fall on multiples of this, so that gathered writes stay aligned.
    package var alignment: Int64 = 256 << 10
    /// Least length of the first request, and largest file without a journal.
    package var leastProbe: Int64 = 2 << 20
    /// Most ranges fetched twice at the end to get past a slow connection.
    package var maximumRaces = 2

    /// Bytes that may be asked for ahead of the consumer's front, for a download that is passed on in order.
    ///
    /// Nil is no limit. With one, requests are made so small that all connections work within it.
    package var window: Int64?

    /// Makes the default policy.
    package init() {}

    /// Most bytes of one request within the window: half of each connection's part of it.
    ///
    /// So that the next requests go out while a slower one still holds the front.
    var windowShare: Int64? {
        window.map { max(alignment, $0 / Int64(2 * connections) / alignment * alignment) }
    }

    /// Files up to this size keep no journal: fetching them again costs less.
    package var journalCutoff: Int64 { max(2 * minimumSplit, leastProbe) }

    /// Length of the first request, whose body is the file's beginning: files up to it cost one request.
    package var probeLength: Int64 { connections == 1 ? .max : max(2 * minimumSplit, leastProbe) }
}
