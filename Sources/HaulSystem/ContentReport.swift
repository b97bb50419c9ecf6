package import HaulCore

/// What the final check found.
package struct ContentReport: Hashable, Sendable {
    /// Ranges whose bytes on disk are not what came off the wire, or could not be read.
    package let bad: [FinishedRange]
    /// Parts of the file that no good range covers.
    package let missing: [ByteRange]
    /// The digests asked for; empty unless nothing is bad or missing.
    package let digests: [ContentDigest]
    /// The first error of the disk or of a digest; nil if there was none.
    package let readError: SystemError?

    /// Whether everything asked for was done, every byte was read back and is what came off the wire, and every digest
    /// is there.
    package let isGood: Bool

    /// Makes a report.
    ///
    /// - Parameters:
    ///   - bad: ranges that are not what came off the wire.
    ///   - missing: parts that no good range covers.
    ///   - digests: digests of the whole file.
    ///   - readError: the first error.
    ///   - isFinished: whether everything asked for was done.
    package init(
        bad: [FinishedRange], missing: [ByteRange], digests: [ContentDigest], readError: SystemError?, isFinished: Bool
    ) {
        self.bad = bad
        self.missing = missing
        self.digests = digests
        self.readError = readError
        isGood = isFinished && bad.isEmpty && missing.isEmpty && readError == nil
    }
}
