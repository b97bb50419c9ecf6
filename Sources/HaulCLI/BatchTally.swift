import Haul

/// What became of the files of a run.
struct BatchTally: Hashable, Sendable {
    /// Files that are there.
    private(set) var done = 0
    /// Of these, files that had been there before.
    private(set) var wasComplete = 0
    /// Of these, files that were asked for more than once.
    private(set) var duplicates = 0
    /// Files that failed, and lines that could not be used.
    private(set) var failed = 0
    /// Files that a signal ended.
    private(set) var interrupted = 0
    /// Bytes of files that a signal ended.
    private(set) var kept: Int64 = 0
    /// Bytes received.
    private(set) var received: Int64 = 0
    /// The status to exit with: that of the first failure.
    private(set) var status = ExitStatus.done

    /// Files that came to an end.
    var files: Int { done + failed + interrupted }

    /// A file is there.
    mutating func finish(_ receipt: DownloadReceipt, isDuplicate: Bool) {
        done += 1
        if isDuplicate {
            duplicates += 1
        } else {
            if receipt.wasComplete { wasComplete += 1 }
            received += receipt.received
        }
    }

    /// Whoever read a file's bytes had enough of them.
    mutating func leave() { done += 1 }

    /// A file failed.
    ///
    /// - Parameters:
    ///   - status: what it means to the program.
    ///   - received: bytes that had come.
    mutating func fail(_ status: ExitStatus, received: Int64 = 0) {
        failed += 1
        self.received += received
        if self.status == .done { self.status = status }
    }

    /// A signal ended a file.
    ///
    /// - Parameters:
    ///   - status: what it means to the program.
    ///   - kept: bytes on hand.
    ///   - received: of these, bytes that came in this run.
    mutating func interrupt(_ status: ExitStatus, kept: Int64, received: Int64 = 0) {
        interrupted += 1
        self.received += received
        self.kept += kept
        if self.status == .done { self.status = status }
    }
}
