import Haul

/// Sentences about how a download ended.
enum Report {
    /// What bytes without a file go to.
    static let standardOutput = "standard output"

    /// The last line of a finished download: path, size, time, mean rate, resumed bytes, and what was proved by what.
    ///
    /// - Parameters:
    ///   - receipt: what it came to.
    ///   - withRequests: whether to add requests sent, and bytes received for each byte that was missing.
    /// - Returns: one line.
    static func line(_ receipt: DownloadReceipt, withRequests: Bool = false) -> String {
        var text = name(receipt.path) + ": "
        let proof = receipt.verified.isEmpty ? "not verified" : "verified: " + receipt.verified.joined(separator: ", ")
        guard !receipt.wasComplete else {
            return text + "already complete, \(ByteCount.text(receipt.bytes)); \(Printable.escaping(proof))"
        }
        let seconds = TimeSpan.seconds(receipt.duration)
        text += "\(ByteCount.text(receipt.bytes)) in \(TimeSpan.text(receipt.duration))"
        if seconds > 0, receipt.received > 0 { text += " (\(ByteCount.rate(Double(receipt.received) / seconds)))" }
        text += receipt.connections == 1 ? ", 1 connection" : ", \(receipt.connections) connections"
        if let factor = receipt.speedUp {
            text += ", \(FixedPoint.text(factor, decimals: 1)) × as fast as one"
        }
        if receipt.resumed > 0 { text += ", \(ByteCount.text(receipt.resumed)) resumed" }
        if withRequests {
            text += receipt.requests == 1 ? ", 1 request" : ", \(receipt.requests) requests"
            let missing = receipt.bytes - receipt.resumed
            if missing > 0 {
                let ratio = FixedPoint.text(Double(receipt.received) / Double(missing), decimals: 3)
                text += ", received \(ratio) × what was missing"
            }
        }
        return text + "; " + Printable.escaping(proof)
    }

    /// One line about a failure, without the program's name.
    ///
    /// - Parameters:
    ///   - error: what went wrong.
    ///   - url: the address concerned, when there are several.
    ///   - withCause: whether to add what lies underneath.
    /// - Returns: one line.
    static func line(_ error: DownloadError, url: String?, withCause: Bool = false) -> String {
        var text = error.message
        if withCause, let cause = error.cause, !text.contains(cause) { text += " (\(cause))" }
        if let url, !text.contains(url) { text = url + ": " + text }
        return Printable.escaping(text)
    }

    /// A path as it is shown: nobody typed the `./` of the current directory.
    static func name(_ path: String) -> String {
        path.isEmpty ? standardOutput : Printable.escaping(path.hasPrefix("./") ? path.dropFirst(2) : path[...])
    }

    /// The line after several downloads.
    ///
    /// - Parameters:
    ///   - tally: what became of them.
    ///   - known: files in all, if known.
    ///   - time: time taken.
    /// - Returns: one line.
    static func summary(_ tally: BatchTally, of known: Int?, in time: Duration) -> String {
        let files = max(known ?? 0, tally.files)
        var text = "\(tally.done) of \(files) files done"
        if tally.wasComplete > 0 { text += ", \(tally.wasComplete) of them before" }
        if tally.duplicates > 0 { text += ", \(tally.duplicates) asked for twice" }
        if tally.failed > 0 { text += ", \(tally.failed) failed" }
        if tally.interrupted > 0 { text += ", \(tally.interrupted) interrupted" }
        if files > tally.files { text += ", \(files - tally.files) not started" }
        return text + "; \(ByteCount.text(tally.received)) in \(TimeSpan.text(time))"
    }

    /// What a run that a signal ended leaves to the next one.
    static func rest(of tally: BatchTally) -> String {
        if tally.kept > 0 { return ", \(ByteCount.text(tally.kept)) kept: the same command goes on from there" }
        // A server that gives the file only as one stream, or the only request of a small file.
        if tally.files == 1, tally.received > 0 { return ": the same command begins anew" }
        return ": the same command goes on from there"
    }

    /// An address that can be shown: without name, password and query, which may be secret.
    static func redacted(_ url: String) -> String {
        let shown = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return Printable.escaping(withoutUser(String(Substring(shown))))
    }

    /// An address without name and password: what programs may store and still recognise.
    static func withoutUser(_ url: String) -> String {
        // Few addresses have one, and looking for this byte is cheap.
        guard url.utf8.contains(UInt8(ascii: "@")), let scheme = url.firstRange(of: "://") else { return url }
        var text = url
        let authority = text[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if let at = authority.lastIndex(of: "@") { text.removeSubrange(scheme.upperBound...at) }
        return text
    }
}
