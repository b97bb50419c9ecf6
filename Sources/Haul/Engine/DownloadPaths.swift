import HaulCore
import HaulSystem

/// Where a download's files are: the finished file, and until then the partial and its journal.
package struct DownloadPaths: Hashable, Sendable {
    /// The finished file.
    package let final: String
    /// The partial: `NAME.haul`.
    package let part: String
    /// The journal: `NAME.haul-journal`.
    package let journal: String
    /// Path of the finished file from the root, if its partial is in another directory, where files of one name that are
    /// bound for different directories meet; nil is beside it.
    let owner: String?
    /// Whether the partial is beside the finished file and has its whole name, as nearly all have.
    let areUsual: Bool

    /// Suffix of a partial.
    package static let partSuffix = ".haul"
    /// Suffix of a journal.
    package static let journalSuffix = ".haul-journal"
    /// Longest name that most file systems take, in bytes.
    private static let nameLimit = 255
    /// Room for the longest suffix, with the `.new` of a journal that is being replaced.
    private static let suffixRoom = journalSuffix.utf8.count + 4

    /// Makes the paths for a finished file, by their names alone.
    ///
    /// - Parameters:
    ///   - final: path of the finished file.
    ///   - temporaryDirectory: where partial and journal are kept; nil is beside the finished file.
    package init(final: String, temporaryDirectory: String? = nil) {
        let parts = PathParts(final)
        guard temporaryDirectory != nil || parts.name.utf8.count > Self.nameLimit - Self.suffixRoom else {
            self.init(final, partial: final, nil, areUsual: true)
            return
        }
        let owner = temporaryDirectory.map { _ in Self.absolute(final) }
        let directory = temporaryDirectory ?? String(parts.directory)
        self.init(final, partial: Self.joined(directory, Self.shortened(parts.name)), owner)
    }

    private init(_ final: String, partial: String, _ owner: String?, areUsual: Bool = false) {
        self.areUsual = areUsual
        self.final = final
        self.owner = owner
        part = partial + Self.partSuffix
        journal = partial + Self.journalSuffix
    }

    // MARK: - Temporary directories

    /// Finds the paths for a finished file: in a temporary directory those that an earlier run used, or that are no other
    /// file's.
    ///
    /// - Parameters:
    ///   - final: path of the finished file.
    ///   - temporaryDirectory: where partial and journal are kept; nil is beside the finished file.
    /// - Returns: `NAME.haul`, or `NAME~CHECKSUM.haul` if that is another file's.
    static func located(final: String, temporaryDirectory: String?) -> DownloadPaths {
        let paths = DownloadPaths(final: final, temporaryDirectory: temporaryDirectory)
        guard let apart = paths.apart else { return paths }
        return FileFacts.exists(apart.part) || FileFacts.exists(paths.part) && paths.isOthers ? apart : paths
    }

    /// The names in the temporary directory that only this file has; nil if these are the ones, or there is no such
    /// directory.
    var apart: DownloadPaths? {
        guard let owner, let checksum = Self.checksum(owner) else { return nil }
        let parts = PathParts(part)
        let suffix = "~" + checksum
        let name = parts.name.dropLast(Self.partSuffix.utf8.count)
        guard !name.hasSuffix(suffix) else { return nil }
        let kept = Self.cut(name, to: Self.nameLimit - Self.suffixRoom - suffix.utf8.count)
        return DownloadPaths(final, partial: Self.joined(String(parts.directory), kept + suffix), owner)
    }

    /// Whether the journal is of a file of this name in another directory that is still there.
    var isOthers: Bool {
        guard let owner, let other = JournalFile.header(at: journal)?.destination, other != owner else { return false }
        // Whoever gave a directory another name goes on from what is on hand.
        return (try? FileFacts.checkPlace(of: other)) != nil
    }

    /// The path from the root, without symbolic links to its directory.
    private static func absolute(_ path: String) -> String {
        let parts = PathParts(path)
        // Where there is no such directory, nothing will be put there either.
        guard let resolved = try? SmallFile.resolved(parts.parent) else { return path }
        return joined(resolved, String(parts.name))
    }

    /// First 8 bytes of a path's SHA-256, as hexadecimal digits.
    private static func checksum(_ path: String) -> String? {
        let digest = try? MessageDigest.digest(.sha256, of: Array(path.utf8).span.bytes)
        return digest.map { String($0.hex.prefix(16)) }
    }

    // MARK: - Names

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
        return "\(cut(name, to: nameLimit - suffixRoom - 9))~\(checksum)"
    }

    /// As much of a name as takes no more than so many bytes.
    private static func cut(_ name: Substring, to limit: Int) -> Substring {
        var name = name
        while name.utf8.count > limit { name.removeLast() }
        return name
    }
}
