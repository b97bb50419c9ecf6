/// One address of a file, and what is known of the host that answers there.
package struct DownloadSource: Hashable, Sendable {
    /// Whether its bytes may be used.
    package enum Standing: Hashable, Sendable {
        /// Nobody has compared it yet.
        case unknown
        /// Its samples are being compared.
        case inQuestion
        /// Its bytes agree with those on hand, or it is the address that was asked for.
        case admitted
        /// It failed, or has other bytes.
        case dropped
    }

    /// The address that the user gave.
    package internal(set) var url: ResourceURL
    /// Where redirects led, once an answer came from there.
    package var finalURL: ResourceURL
    /// Validators that its own host gave; to others they mean nothing.
    package var validators: EntityValidators?
    /// The origin that gave them.
    package var validatorOrigin: Origin?
    /// Whether its bytes may be used.
    package internal(set) var standing: Standing
    /// Requests under way.
    package internal(set) var active = 0
    /// Most requests that it was seen to allow at once.
    package internal(set) var limit = Int.max
    /// What it has brought in this run.
    package var brought = ByteRangeSet()
    /// No request goes there before this moment on the engine's clock: its host asked for it.
    package internal(set) var heldUntil = Duration.zero
    /// Failures in a row that brought nothing.
    var failures = 0

    /// Makes a source.
    package init(_ url: ResourceURL, standing: Standing = .unknown) {
        self.url = url
        finalURL = url
        self.standing = standing
    }
}
