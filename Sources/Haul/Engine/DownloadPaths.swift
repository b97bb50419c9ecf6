import HaulCore

/// Where a download's files are: the finished file, and until then the partial and its journal.
package struct DownloadPaths: Hashable, Sendable {
    /// The finished file.
    package let final: String
    /// The partial: `NAME.haul`.
    package let part: String
    /// The journal: `NAME.haul-journal`.
    package let journal: String

    /// Suffix of a partial.
    package static let partSuffix = ".haul"
    /// Suffix of a journal.
    package static let journalSuffix = ".haul-journal"
    /// Longest name that most file systems take, in bytes.
    private static let nameLimit = 255
    /// Room for the longest suffix, with the `.new` of a journal that is being replaced.
    private static let suffixRoom = journalSuffix.utf8.count + 4

    /// Makes the paths for a finished file.
    ///
    /// - Parameters:
    ///   - final: path of the finished file.
    ///   - temporaryDirectory: where partial and journal are kept; nil is beside the finished file.
    package init(final: String, temporaryDirectory: String? = nil) {
        let nameStart =
            final.utf8.lastIndex(of: UInt8(ascii: "/")).map { final.utf8.index(after: $0) } ?? final.startIndex
        self.final = final
        guard temporaryDirectory != nil || final[nameStart...].utf8.count > Self.nameLimit - Self.suffixRoom else {
            part = final + Self.partSuffix
            journal = final + Self.journalSuffix
            return
        }
        let name = Self.shortened(final[nameStart...])
        let directory = temporaryDirectory ?? String(final[..<nameStart])
        part = Self.joined(directory, name + Self.partSuffix)
        journal = Self.joined(directory, name + Self.journalSuffix)
    }

    /// The path that a file gets in a directory as far as the address tells, before the server is asked.
    static func candidate(in directory: String, for url: ResourceURL?) -> String {
        joined(directory, SuggestedName.fromPath(url?.path ?? "") ?? SuggestedName.fallback)
    }

    /// The path of a name in a directory; an empty one is the current directory.
    package static func joined(_ directory: String, _ name: String) -> String {
        directory.isEmpty || directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }

    /// The name, or as much of it as leaves room for the suffixes, with a checksum of the whole so that names which begin
    /// alike stay apart.
    private static func shortened(_ name: Substring) -> String {
        guard name.utf8.count > nameLimit - suffixRoom else { return String(name) }
        let checksum = String(CRC32C.checksum(Array(name.utf8).span), radix: 16)
        var cut = name
        while cut.utf8.count > nameLimit - suffixRoom - 9 { cut.removeLast() }
        return "\(cut)~\(checksum)"
    }
}
