/// One record of the journal: 32 bytes on disk.
package enum JournalRecord: Hashable, Sendable {
    /// The range was received and written.
    case finished(FinishedRange)
    /// What earlier records say about these bytes does not count any more: they were read back and are wrong.
    case forget(ByteRange)
    /// The whole file failed its digest: no record of this journal counts, neither earlier nor later ones.
    case digestMismatch

    /// Length of every record in bytes.
    package static let length = 32
}
