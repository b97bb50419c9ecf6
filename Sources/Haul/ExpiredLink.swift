/// An address that a server does not honour any more, although the download has begun.
public struct ExpiredLink: Hashable, Sendable {
    /// The address, whole, with its query.
    public var url: String
    /// What the server said: 401, 403, 404 or 410.
    public var status: Int
    /// Bytes of the file that are on hand.
    public var received: Int64
}
