import HaulSystem

/// A place where haul changes files, and where the file system may say no.
struct FaultSite: Sendable {
    /// What a refusal there means.
    enum Weight: Sendable {
        /// The download fails, and keeps its partial.
        case fails
        /// It goes on without: the call was for speed or for room.
        case goesOn
        /// It fails, but the whole file has its name already.
        case failsNamed
    }

    /// What the call is for.
    let name: String
    let call: SystemCall
    /// What the path ends in.
    let path: String
    /// Which of the calls is the first to fail; all later ones fail too.
    var nth = 1
    var weight = Weight.fails
    /// Whether an interrupted run's partial must be there before.
    var goesOnFromPartial = false
    /// Whether what was received until then must be used by the next run.
    var keepsBytes = true

    private static let partial = "/f.haul"
    /// A journal keeps the name under which it was opened.
    private static let journal = "/f.haul-journal.new"

    /// Where any error ends the download.
    static let all: [FaultSite] = [
        FaultSite(name: "making the partial", call: .open, path: partial, nth: 2, keepsBytes: false),
        FaultSite(name: "first bytes", call: .pwrite, path: partial, keepsBytes: false),
        FaultSite(name: "later bytes", call: .pwrite, path: partial, nth: 3),
        FaultSite(name: "making the journal", call: .open, path: journal, keepsBytes: false),
        FaultSite(name: "the journal's header", call: .pwrite, path: journal, keepsBytes: false),
        FaultSite(name: "a record", call: .pwrite, path: journal, nth: 3),
        FaultSite(name: "the journal's name", call: .rename, path: "/f.haul-journal", keepsBytes: false),
        FaultSite(name: "replacing the journal", call: .pwrite, path: journal, goesOnFromPartial: true),
        FaultSite(name: "syncing the journal", call: .fdatasync, path: journal, goesOnFromPartial: true),
        FaultSite(name: "renaming the journal", call: .rename, path: "/f.haul-journal", goesOnFromPartial: true),
        FaultSite(name: "mode", call: .fchmod, path: partial),
        FaultSite(name: "time", call: .futimens, path: partial),
        // What is not on the disk for certain is fetched again.
        FaultSite(name: "syncing the data", call: .fsync, path: partial, keepsBytes: false),
        FaultSite(name: "the final name", call: .renameat2, path: "/f"),
        FaultSite(name: "syncing the directory", call: .fsync, path: "/", weight: .failsNamed, keepsBytes: false),
        FaultSite(name: "reserving for the journal", call: .fallocate, path: journal, weight: .goesOn),
        FaultSite(name: "starting write-back", call: .startWriteback, path: partial, weight: .goesOn),
    ]

    /// Where only a lack of room ends it.
    static let reserving = FaultSite(name: "reserving", call: .fallocate, path: partial, keepsBytes: false)
    /// Where locks are taken.
    static let locking = FaultSite(name: "locking", call: .flock, path: partial, weight: .goesOn)
}

extension FaultSite: CustomStringConvertible {
    var description: String { name }
}
