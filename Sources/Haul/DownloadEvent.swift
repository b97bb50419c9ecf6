/// Something that happened on the way and that a user may want to know.
public enum DownloadEvent: Sendable {
    /// The finished file's path is known; what comes of it, `started` or a failure tells.
    case located(path: String)
    /// The first answer was judged: the finished file's path, its size in bytes if known, and bytes on hand.
    case started(path: String, total: Int64?, resumed: Int64)
    /// How the work is split, in words, such as `up to 8 connections`, `one connection: the server does not serve ranges` or,
    /// under way, `4 connections: the server refuses more (HTTP 503)`.
    case planned(String)
    /// An attempt failed and another follows after `wait`.
    case retrying(reason: String, wait: Duration)
    /// What was on hand does not count any more; `received` begins anew.
    case restarted(reason: String)
    /// Something that may deserve attention, in one line.
    case notice(String)
}
