#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A call that failed: which, why, and on what.
package struct SystemError: Error, Hashable, Sendable {
    /// What kind of failure it is, as far as callers act on it.
    package enum Kind: Hashable, Sendable {
        /// No room, no quota left, or over the file-size limit: ENOSPC, EDQUOT, EFBIG.
        case noSpace
        /// Another process holds the lock: EWOULDBLOCK from flock(2).
        case locked
        /// Something is there already: EEXIST, ENOTEMPTY, EISDIR.
        case exists
        /// Nothing is there: ENOENT, ENOTDIR.
        case notFound
        /// A file is there that haul does not touch: no regular file, another's, with other links or writers.
        case refused
        /// Anything else.
        case other
    }

    /// What kind of failure it is.
    package let kind: Kind
    /// The call that failed.
    package let call: SystemCall
    /// The error number; 0 if the call went well and haul refused what it found.
    package let number: Int32
    /// The file concerned.
    package let path: String
    /// More to say than the error number says; nil if there isn't.
    package let detail: String?

    /// Makes an error from the number that a call left behind.
    ///
    /// - Parameters:
    ///   - call: the call that failed.
    ///   - number: the error number.
    ///   - path: the file concerned.
    ///   - detail: what to say instead of the error number's text.
    package init(_ call: SystemCall, number: Int32, path: String, detail: String? = nil) {
        self.call = call
        self.number = number
        self.path = path
        self.detail = detail
        kind =
            switch number {
            case ENOSPC, EDQUOT, EFBIG: .noSpace
            case EWOULDBLOCK where call == .flock: .locked
            // What haul opens or takes away by name is its own, or would be.
            case EISDIR where call == .open || call == .unlink: .refused
            case EEXIST, ENOTEMPTY, EISDIR: .exists
            case ENOENT, ENOTDIR: .notFound
            default: .other
            }
    }

    /// Makes an error for a file that haul does not touch.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - reason: what is wrong with it, in words that follow "it".
    package init(refusing path: String, because reason: String) {
        kind = .refused
        call = .fstat
        number = 0
        self.path = path
        detail = reason
    }

    /// The same failure at a name that only haul uses: what is in the way there is not the output.
    var atOwnName: SystemError {
        guard kind == .exists else { return self }
        return SystemError(refusing: path, because: number == EISDIR ? "is a directory" : "is in the way")
    }

    /// Whether there is no room: the disk is full, the quota used up, or a file-size limit reached.
    package var isNoSpace: Bool { kind == .noSpace }

    /// Whether another process is on the file.
    package var isLocked: Bool { kind == .locked }

    /// Whether the target exists.
    package var isExists: Bool { kind == .exists }

    /// Whether there is no such file or directory.
    package var isNotFound: Bool { kind == .notFound }

    /// The errno's text, such as `Input/output error`; empty if haul refused: strerror_r(3).
    package var cause: String {
        number == 0 ? "" : Syscalls.text(of: number)
    }

    /// One line without a final full stop: what happened, and what to do about it.
    package var message: String {
        switch kind {
        case .noSpace where number == EFBIG:
            "\(path): \(detail ?? "the file would pass the limit on file sizes"): "
                + "raise it (ulimit -f) or choose another disk, then run the same command again"
        case .noSpace:
            "\(path): \(detail ?? "no room left on the disk (\(cause))"): "
                + "free some, then run the same command to go on"
        case .locked:
            "\(path) is being downloaded by another process: wait for it or stop it"
        case .exists:
            "\(path) \(detail ?? (number == EISDIR ? "is a directory" : "exists")): choose another name"
        case .notFound:
            "\(path): \(detail ?? "no such file or directory"): check the path"
        case .refused:
            "\(path) is not safe to use, it \(detail ?? (number == EISDIR ? "is a directory" : "is unexpected")): "
                + "remove it or choose another name"
        case .other where number == EACCES || number == EPERM || number == EROFS:
            "\(path): \(detail ?? "no permission (\(cause))"): choose a place that you may write to"
        case .other where number == ENAMETOOLONG:
            "\(path): the name is too long: choose a shorter one"
        case .other where number == EIO:
            "\(path): \(detail ?? "the disk failed (\(call.rawValue): \(cause))"): check the disk, then run again"
        case .other:
            "\(path): \(detail ?? "\(call.rawValue) failed: \(cause)")"
        }
    }
}

extension SystemError: CustomStringConvertible {
    package var description: String { message }
}
