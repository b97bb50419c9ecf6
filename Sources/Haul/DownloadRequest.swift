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
    /// Most connections for this download, 1–256; nil is what the options say.
    public var connections: Int?
    /// Size of the file in bytes, or of the range of it that is asked for; nil is whatever the server says.
    ///
    /// An address that has another size is left out. If no other is left, the download fails with `integrity`, before a
    /// byte is written if the server says its size in time.
    public var expectedSize: Int64?
    /// Which of the downloads that wait for their turn comes first.
    public var priority = DownloadPriority.normal
    /// Gives a new address, or new headers, when the server stops honouring the one that there is.
    ///
    /// Called when `url` itself is answered with 401, 403, 404 or 410 although bytes of the file are on hand or have come
    /// in this run: once for all connections, and again only when bytes have come since. Its answer is used after a check
    /// that the file is the same one; nil, or an error, ends the download with what the server said.
    public var refresh: (@Sendable (ExpiredLink) async throws -> FreshLink?)?
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
    /// Whether a `prefix` that can't be used is no failure, but left alone, and the file is fetched from its beginning.
    ///
    /// It can't be if it is missing, empty, longer than the server's file or has other bytes, or if the server does not
    /// serve ranges.
    public var prefixIsOptional = false
    /// Throw away what an earlier run left, instead of going on from it.
    public var discardsPartial = false
    /// What the partial has to be of, if it comes from a token.
    package var resumption: ResumeToken?
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

    /// A name and a password, sent as Basic, and as Digest to a server that wants only that (RFC 7617, RFC 7616).
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
        ///
        /// Size, date and the first bytes are compared; without a date, samples. Where the server does not say the size,
        /// every byte is compared, or, of a file of more than 1 MiB that has a date, date and first bytes.
        case verify
        /// Believe that it is the finished download, without asking.
        case trust
        /// Take it for the beginning of the file, whoever left it: go on from it if its bytes are the server's, and if they
        /// are not, fetch the file from its beginning and replace it.
        ///
        /// A whole file is found to be whole. While the rest is fetched it bears the partial's name.
        case resume
        /// Fetch, and replace it when the new file is finished and verified.
        ///
        /// Devices, pipes and sockets are never replaced: they are an error of code `outputExists`, as directories are.
        case replace
        /// Fail.
        case refuse
    }
}
