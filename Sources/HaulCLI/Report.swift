import Haul

/// Sentences about how a download ended.
enum Report {
    /// What bytes without a file go to.
    static let standardOutput = "standard output"

    /// The last line of a finished download: path, size, time, mean rate, resumed bytes, and what was proved by what.
    static func line(_ receipt: DownloadReceipt) -> String {
        var text = name(receipt.path) + ": "
        let proof = receipt.verified.isEmpty ? "not verified" : "verified: " + receipt.verified.joined(separator: ", ")
        guard !receipt.wasComplete else {
            return text + "already complete, \(ByteCount.text(receipt.bytes)); \(Printable.escaping(proof))"
        }
        let seconds = TimeSpan.seconds(receipt.duration)
        text += "\(ByteCount.text(receipt.bytes)) in \(TimeSpan.text(receipt.duration))"
        if seconds > 0, receipt.received > 0 { text += " (\(ByteCount.rate(Double(receipt.received) / seconds)))" }
        text += receipt.connections == 1 ? ", 1 connection" : ", \(receipt.connections) connections"
        if receipt.resumed > 0 { text += ", \(ByteCount.text(receipt.resumed)) resumed" }
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
        if withCause, let cause = error.cause { text += " (\(cause))" }
        if let url, !text.contains(url) { text = url + ": " + text }
        return Printable.escaping(text)
    }

    /// A path as it is shown: nobody typed the `./` of the current directory.
    static func name(_ path: String) -> String {
        path.isEmpty ? standardOutput : Printable.escaping(path.hasPrefix("./") ? path.dropFirst(2) : path[...])
    }

    /// The line after several downloads.
    static func summary(done: Int, failed: Int, skipped: Int) -> String {
        var text = "\(done) of \(done + failed + skipped) files done"
        if failed > 0 { text += ", \(failed) failed" }
        if skipped > 0 { text += ", \(skipped) not started" }
        return text
    }

    /// An address that can be shown: without name, password and query, which may be secret.
    static func redacted(_ url: String) -> String {
        var text = url.prefix { $0 != "?" && $0 != "#" }[...]
        if let scheme = text.firstRange(of: "://") {
            let authority = text[scheme.upperBound...].prefix { $0 != "/" }
            if let at = authority.lastIndex(of: "@") {
                text.removeSubrange(scheme.upperBound...at)
            }
        }
        return Printable.escaping(text)
    }
}
