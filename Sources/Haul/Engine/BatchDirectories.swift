import HaulCore
import HaulSystem
import Synchronization

/// The directories into which one batch puts its files, each looked at once for many of them.
///
/// To look for the partial and the journal of each small file, and whether a file can be made beside them, takes longer
/// than to give it its name.
final class BatchDirectories: Sendable {
    /// What is known of a directory.
    private enum Sight {
        /// Nothing yet; with the number of files that were asked about.
        case asked(Int)
        /// It is being looked at.
        case looking
        /// Files can be made in it; with the names of partials and journals, and when that is too long ago.
        case listed(Set<String>, until: Duration)
        /// Each file has to be looked at; with when that may have changed, nil for never.
        case unclear(until: Duration?)
    }

    private let sights = Mutex<[Substring: Sight]>([:])

    /// Files of a directory that are looked at one by one before it is worth a listing.
    private static let fewest = 8
    /// Entries of a directory that is listed: about 30 ms.
    private static let mostEntries = 100_000
    /// How long a listing is believed.
    ///
    /// Who begins a name of the batch meanwhile finds the finished file at the end.
    private static let age = Duration.seconds(5)
    /// Directories that are remembered: a batch may have a million.
    private static let mostDirectories = 1024
    private static let suffixes = [DownloadPaths.partSuffix, DownloadPaths.journalSuffix]

    /// Makes it without directories.
    init() {}

    /// Whether a file can be made under its final name, and an earlier run left neither its partial nor its journal.
    ///
    /// - Parameters:
    ///   - paths: the file's, with the partial beside it.
    ///   - now: the time.
    ///   - start: has a directory looked at, which takes its time.
    /// - Returns: false if not, or if that has to be looked at for this file alone.
    func areClear(
        _ paths: DownloadPaths, now: Duration, start: (@escaping @Sendable () -> Void) -> Void
    ) -> Bool {
        let part = PathParts(paths.part)
        let directory = part.directory
        let listed: Set<String>? = sights.withLock { sights in
            switch sights[directory] {
            case .listed(let names, let end) where now < end: return names
            case .unclear(let end) where end.map { now < $0 } ?? true: return nil
            case .looking: return nil
            case .asked(let count) where count < Self.fewest:
                sights[directory] = .asked(count + 1)
                return nil
            case nil:
                if sights.count >= Self.mostDirectories { sights = [:] }
                sights[directory] = .asked(1)
                return nil
            case .asked, .listed, .unclear:
                sights[directory] = .looking
                start {
                    let sight = Self.look(at: String(directory), now: now)
                    self.sights.withLock { $0[directory] = sight }
                }
                return nil
            }
        }
        guard let listed else { return false }
        let journal = PathParts(paths.journal)
        return listed.isEmpty || !listed.contains(String(part.name)) && !listed.contains(String(journal.name))
    }

    private static func look(at directory: String, now: Duration) -> Sight {
        do throws(SystemError) {
            try FileFacts.checkDirectory(directory)
            let names = try DirectoryListing.names(in: directory, endingIn: suffixes, limit: mostEntries)
            return names.map { .listed(Set($0), until: now + age) } ?? .unclear(until: nil)
        } catch {
            // Whoever looks for a file of its own says what is wrong.
            return .unclear(until: now + age)
        }
    }
}
