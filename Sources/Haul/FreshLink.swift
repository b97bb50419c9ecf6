/// What takes the place of an address that has expired.
public struct FreshLink: Hashable, Sendable {
    /// Absolute http or https address of the same file; nil keeps the one that there is.
    public var url: String?
    /// Field lines to send from now on instead of `DownloadRequest.headers`; nil keeps those.
    public var headers: [String]?

    /// Makes a link.
    ///
    /// - Parameters:
    ///   - url: absolute http or https address of the same file; nil keeps the one that there is.
    ///   - headers: field lines to send from now on; nil keeps those of the request.
    public init(url: String? = nil, headers: [String]? = nil) {
        self.url = url
        self.headers = headers
    }
}
