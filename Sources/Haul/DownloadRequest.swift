/// What to fetch and where to put it.
public struct DownloadRequest: Sendable {
    /// Where a finished download goes.
    public enum Destination: Hashable, Sendable {
        /// This file.
        case file(String)
        /// A file in this directory, named by the server or the address (RFC 6266).
        case directory(String)
        /// This descriptor, in order: a pipe, a socket or a file, open for writing.
        ///
        /// Several connections are used all the same: what comes before its turn waits in a file without a name, in
        /// `DownloadOptions.temporaryDirectory` or the system's, within `DownloadOptions.streamWindow`. The descriptor
        /// is duplicated and not closed; a program that writes to pipes has to ignore SIGPIPE. Every range is compared
        /// with its CRC-32C before it goes out, but what has gone out can't be taken back: digests are compared at the
        /// end, a resource that changes under way is a failure, and there is no going on in another run. After
        /// cancelling, a write that waits for its reader may still bring up to 256 KiB.
        case descriptor(Int32)
    }

    /// Which bytes of the resource are wanted.
    public enum RequestedRange: Hashable, Sendable {
        /// These, half-open; fewer where the resource ends before.
        case bytes(Range<Int64>)
        /// All from this offset on.
        case from(Int64)
        /// This many at the end; all if there are fewer.
        case last(Int64)
    }

    /// Absolute http or https address.
    public var url: String
    /// Other addresses of the same file, which share the work by speed.
    ///
    /// A mirror's length and samples of its bytes must agree with the first address before any of its bytes is used; one
    /// that fails or has other bytes is left out with a notice.
    public var mirrors: [String] = []
    /// Where the file goes when it is finished and verified.
    public var destination: Destination
    /// Which bytes to fetch; nil is all.
    ///
    /// Sizes, progress, digests and what is kept for the next run are of these bytes alone. A server that ignores ranges
    /// sends everything, and the rest is thrown away. A range that begins behind the last byte fails with
    /// `refused(status: 416)`.
    public var range: RequestedRange?
    /// Field lines to send, as `Name: value`.
    ///
    /// All but `Accept*`, `User-Agent` and `Referer` go only to the origin of `url`.
    public var headers: [String] = []
    /// Value of `Referer`; nil sends none.
    public var referer: String?
    /// Cookies as `name=value; name=value`, sent only to the origin of `url`; nil sends none.
    public var cookies: String?
    /// Name and password, sent only to the origin of `url`; nil sends those of the address, if it has any.
    public var credentials: Credentials?
    /// What the publisher says the file's digests are; all of them are checked.
    public var checksums: [Checksum] = []
    /// What the publisher says the digests of the file's pieces are; nil if nobody says so.
    ///
    /// Used where `checksums` has no strong digest, or one does not match: then only the bad pieces are fetched again.
    public var pieces: PieceChecksums?
    /// What the publisher says the file's size is, in bytes; an address that has another size is left out.
    public var size: Int64?
    /// Most connections for this download, 1–256; nil is what the options say.
    public var connections: Int?
    /// List of checksums that has an entry for the file: a path, or an http or https address.
    ///
    /// As `sha256sum` writes it, or in BSD's style, `SHA256 (name) = hex`. The entry is found by the name that the
    /// download gets and by the last part of `url`; it is checked like `checksums`.
    public var checksumFile: String?
    /// What to do when the destination exists.
    public var existing: ExistingFilePolicy = .verify
    /// A file that another tool left, and that holds the resource's beginning: it is gone on from.
    ///
    /// Its length and samples of its bytes are compared with the server's first; then it becomes the partial.
    public var prefix: String?
    /// Throw away what an earlier run left, instead of going on from it.
    public var discardsPartial = false
    /// Whom `headers`, `cookies` and `credentials` are for.
    var secretsOwner = SecretsOwner.url

    /// Whom secrets were given for.
    enum SecretsOwner: Hashable, Sendable {
        /// The origin of the request's own address.
        case url
        /// The origin of another address, such as that of a metalink.
        case address(String)
        /// Nobody who is known by an address.
        case nobody
    }

    /// Whether digests of the whole decide at the end whether its bytes are right.
    var hasDigests: Bool { !checksums.isEmpty || pieces != nil }

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - url: absolute http or https address.
    ///   - destination: the finished file's place.
    public init(_ url: String, to destination: Destination) {
        self.url = url
        self.destination = destination
    }

    /// Makes a request for one file.
    ///
    /// - Parameters:
    ///   - url: absolute http or https address.
    ///   - path: the finished file's path.
    ///   - checksum: what the publisher says the file's digest is.
    public init(_ url: String, to path: String, expecting checksum: Checksum? = nil) {
        self.init(url, to: .file(path))
        checksums = checksum.map { [$0] } ?? []
    }

    /// A name and a password.
    public struct Credentials: Hashable, Sendable {
        /// User name.
        public var name: String
        /// Password, possibly empty.
        public var password: String

        /// Makes credentials.
        ///
        /// - Parameters:
        ///   - name: user name.
        ///   - password: password.
        public init(name: String, password: String) {
            self.name = name
            self.password = password
        }
    }

    /// What to do when the destination exists already.
    public enum ExistingFilePolicy: Hashable, Sendable {
        /// Ask the server: the same resource is a finished download, anything else fails and is left alone.
        case verify
        /// Believe that it is the finished download, without asking.
        case trust
        /// Fetch, and replace it when the new file is finished and verified.
        case replace
        /// Fail.
        case refuse
    }
}
