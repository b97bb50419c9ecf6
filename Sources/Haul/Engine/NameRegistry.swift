import HaulCore
import HaulSystem
import Synchronization

/// The names that the downloads of one batch have taken.
final class NameRegistry: Sendable {
    private struct State {
        var taken = FingerprintTable()
        /// Highest number given to further files of a name.
        var numbers: [Fingerprint: Int] = [:]
        var fileMode: UInt32?
        /// Directories without links and dots in their paths, by how they were spelled.
        var directories: [Substring: String] = [:]
        /// Whether a name that was taken ends as partials or journals do.
        var hasOwnSuffixes = false
    }

    /// How partials and journals end.
    private static let ownSuffixes = [DownloadPaths.partSuffix, DownloadPaths.journalSuffix]
    /// Directories that are remembered: a batch may have a million.
    private static let mostDirectories = 1024

    /// Permission bits of files with these names, as the process gave them to new files when the first was finished.
    ///
    /// Asking anew for each would cost more than naming it.
    var fileMode: UInt32 {
        state.withLock { state in
            let mode = state.fileMode ?? FileCreationMask.modeOfNewFiles
            state.fileMode = mode
            return mode
        }
    }

    /// Where the files of the batch go.
    let directories = BatchDirectories()
    /// Whether small files are made without a name first, as long as none was refused that.
    let makesUnnamed = Atomic(true)
    private let state = Mutex(State())

    /// Takes a name, or a numbered one, `name (2).ext`, if the name is taken already.
    ///
    /// A name is taken by whoever else's partial or journal has it, too.
    ///
    /// - Parameter path: the wanted path.
    /// - Returns: the path that nobody else in this batch has.
    func claim(_ path: String) -> String {
        state.withLock { state in
            let name = Self.normal(path, &state)
            if Self.take(name, &state) { return path }
            let wanted = Fingerprint(name)
            var number = state.numbers[wanted] ?? 1
            while true {
                number += 1
                guard Self.take(Self.numbered(name, number), &state) else { continue }
                state.numbers[wanted] = number
                return Self.numbered(path, number)
            }
        }
    }

    /// Gives back a name that was not used after all.
    func release(_ path: String) {
        state.withLock { state in state.taken.remove(Fingerprint(Self.normal(path, &state))) }
    }

    /// A path with a number in its name.
    static func numbered(_ path: String, _ number: Int) -> String {
        let parts = PathParts(path)
        return parts.directory + SuggestedName.numbered(String(parts.name), number)
    }

    /// Takes a name unless it, or what goes with it, is taken.
    private static func take(_ name: String, _ state: inout State) -> Bool {
        if state.hasOwnSuffixes, ownSuffixes.contains(where: { state.taken.contains(Fingerprint(name + $0)) }) {
            return false
        }
        if let suffix = ownSuffixes.first(where: { name.hasSuffix($0) }) {
            guard !state.taken.contains(Fingerprint(String(name.dropLast(suffix.count)))) else { return false }
            state.hasOwnSuffixes = true
        }
        return state.taken.insert(Fingerprint(name))
    }

    /// The one spelling of a path that all others have in common, as far as its directory exists.
    private static func normal(_ path: String, _ state: inout State) -> String {
        let parts = PathParts(path)
        if let known = state.directories[parts.directory] { return known + parts.name }
        guard let resolved = try? SmallFile.resolved(parts.parent) else { return withoutDots(path) }
        if state.directories.count >= mostDirectories { state.directories = [:] }
        let known = resolved == "/" ? resolved : resolved + "/"
        state.directories[parts.directory] = known
        return known + parts.name
    }

    /// The path without parts that lead nowhere.
    private static func withoutDots(_ path: String) -> String {
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }.filter { $0 != "." }
            .joined(separator: "/")
        return path.hasPrefix("/") ? "/" + parts : parts
    }
}
