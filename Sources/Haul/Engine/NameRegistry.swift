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
    }

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

    private let state = Mutex(State())

    /// Takes a name, or a numbered one, `name (2).ext`, if the name is taken already.
    ///
    /// - Parameter path: the wanted path.
    /// - Returns: the path that nobody else in this batch has.
    func claim(_ path: String) -> String {
        state.withLock { state in
            let wanted = Fingerprint(Self.normal(path))
            if state.taken.insert(wanted) { return path }
            var number = state.numbers[wanted] ?? 1
            while true {
                number += 1
                let candidate = Self.numbered(path, number)
                guard state.taken.insert(Fingerprint(Self.normal(candidate))) else { continue }
                state.numbers[wanted] = number
                return candidate
            }
        }
    }

    /// Gives back a name that was not used after all.
    func release(_ path: String) {
        state.withLock { state in state.taken.remove(Fingerprint(Self.normal(path))) }
    }

    /// A path with a number in its name.
    static func numbered(_ path: String, _ number: Int) -> String {
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        return path[..<start] + SuggestedName.numbered(String(path[start...]), number)
    }

    /// Whether a path has no such parts, as nearly all.
    private static func isNormal(_ path: Substring.UTF8View) -> Bool {
        let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
        guard let first = path.first, first != dot, path.last != slash else { return false }
        var before: UInt8 = 0
        for byte in path {
            if before == slash, byte == slash || byte == dot { return false }
            before = byte
        }
        return true
    }

    /// The path without parts that lead nowhere.
    private static func normal(_ path: String) -> String {
        if isNormal(path.utf8[...]) { return path }
        // As all files of a batch without a directory.
        if path.hasPrefix("./"), isNormal(path.utf8.dropFirst(2)) { return String(path.dropFirst(2)) }
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }.filter { $0 != "." }
            .joined(separator: "/")
        return path.hasPrefix("/") ? "/" + parts : parts
    }
}
