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

    /// Makes a report.
    ///
    /// - Parameters:
    ///   - bad: ranges that are not what came off the wire.
    ///   - missing: parts that no good range covers.
    ///   - digests: digests of the whole file.
    ///   - readError: the first error.
    package init(bad: [FinishedRange], missing: [ByteRange], digests: [ContentDigest], readError: SystemError?) {
        self.bad = bad
        self.missing = missing
        self.digests = digests
        self.readError = readError
    }

    /// Whether every byte of the file was read back and is what came off the wire.
    package var isGood: Bool { bad.isEmpty && missing.isEmpty && readError == nil }
}
