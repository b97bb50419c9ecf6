import Haul

/// What the program tells its caller: the one table of exit statuses.
enum ExitStatus: Hashable, Sendable {
    /// Every file is there and verified.
    case done
    /// Something that no other status names.
    case other
    /// An argument can't be used; nothing was touched.
    case usage
    /// No connection, or connections that kept breaking, after all retries.
    case network
    /// The server's answer is no.
    case refused
    /// What arrived is not what the publisher says it is.
    case integrity
    /// A file could not be written, or the disk is full.
    case fileSystem
    /// The resource changed under way and could not be fetched in one version.
    case changed
    /// Another haul is on this file.
    case busy
    /// The output exists and is something else.
    case exists
    /// A signal ended the program; what was received is kept.
    case interrupted(signal: Int32)

    /// Number for `exit(2)`.
    var code: Int32 {
        switch self {
        case .done: 0
        case .other: 1
        case .usage: 2
        case .network: 3
        case .refused: 4
        case .integrity: 5
        case .fileSystem: 6
        case .changed: 7
        case .busy: 8
        case .exists: 9
        case .interrupted(let signal): 128 + signal
        }
    }

    /// The status for a failed download.
    init(_ code: DownloadError.Code) {
        switch code {
        case .invalidRequest: self = .usage
        case .unreachable, .tls, .timedOut: self = .network
        case .integrity: self = .integrity
        case .fileSystem, .diskFull: self = .fileSystem
        case .resourceChanged: self = .changed
        // As for other filters: whoever has seen enough closes the pipe.
        case .outputClosed: self = .done
        case .partialInUse: self = .busy
        case .outputExists: self = .exists
        default: self = code.status == nil ? .other : .refused
        }
    }

    /// Numbers and meanings, for help and man page.
    static let table: [(code: String, meaning: String)] = [
        ("0", "done, or already complete"),
        ("1", "another failure"),
        ("2", "an argument can't be used, and nothing was touched; or a line of a list, and the rest was tried"),
        ("3", "network failure after all retries, or --max-time ran out"),
        ("4", "refused by the server; the status is in the message"),
        ("5", "the bytes are not what the publisher says they are"),
        ("6", "file system failure, a full disk included"),
        ("7", "the file changed on the server under way"),
        ("8", "another haul is on this file"),
        ("9", "the output exists and is something else"),
        ("129, 130, 143", "ended by SIGHUP, SIGINT or SIGTERM; what was received is kept"),
    ]
}
