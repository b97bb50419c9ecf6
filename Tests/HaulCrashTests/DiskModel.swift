import HaulCore
import HaulSystem
import HaulTestSupport

/// A file system between a program and a power cut: follows a recording, and says what may be left.
///
/// It promises what POSIX does and no more. Data and names reach the disk independently and in any order. fdatasync(2)
/// settles a file's bytes and size, fsync(2) its mode and time too, fsync(2) of a directory the names in it; a file's
/// sync settles no name, and a name no byte.
struct DiskModel: Sendable {
    /// A change of names that takes effect as one.
    private struct Renaming: Sendable {
        var removed: [(path: String, file: Int)] = []
        var added: [(path: String, file: Int)] = []
    }

    private var directory = ""
    private var files: [Int: ModelFile] = [:]
    /// Names as the kernel has them.
    private var names: [String: Int] = [:]
    /// Names that are on the disk.
    private var settledNames: [String: Int] = [:]
    private var renamings: [Renaming] = []
    /// Number of the file with an inode's number, which the kernel gives again when a file is gone.
    private var numbers: [UInt64: Int] = [:]
    private var syncs: [UInt64: [Int: ModelFile.Checkpoint]] = [:]
    private var renamingsAtSync: [UInt64: Int] = [:]

    /// Makes a model of a directory whose content is on the disk.
    ///
    /// - Parameter state: what is in it.
    init(holding state: DiskState) {
        for (number, file) in state.files { files[number] = ModelFile(file) }
        names = state.names
        settledNames = state.names
    }

    /// Says where the files are that it follows from here on; recorded paths are taken for names in that directory.
    ///
    /// - Parameters:
    ///   - directory: the directory's path.
    ///   - inodes: number of each file's inode, by name.
    mutating func mount(_ directory: String, _ inodes: [String: UInt64]) {
        self.directory = directory + "/"
        numbers = [:]
        for (name, inode) in inodes { numbers[inode] = names[name] }
    }

    /// What the kernel shows: the state that a kill leaves, not a power cut.
    var intact: DiskState {
        DiskState(files: files.mapValues(\.intact), names: names)
    }

    // MARK: - Following

    /// Follows one recorded operation.
    mutating func apply(_ operation: FileOperation) {
        switch operation {
        case .create(let inode, let path):
            rename(removed: [], added: [(name(path), add(inode))])
        case .createUnnamed(let inode): _ = add(inode)
        case .write(let inode, let offset, let bytes): change(inode) { $0.write(bytes, at: Int(offset)) }
        case .resize(let inode, let size): change(inode) { $0.resize(Int(size)) }
        case .allocate(let inode, let size): change(inode) { $0.allocate(Int(size)) }
        case .punchHole(let inode, let range):
            change(inode) { $0.punchHole(Int(range.lowerBound)..<Int(range.upperBound)) }
        case .setMode(let inode, let mode): change(inode) { $0.setMode(mode) }
        case .setModificationTime(let inode, let seconds): change(inode) { $0.note(time: seconds) }
        case .syncBegan(let inode, _, _):
            syncs[inode] = files.mapValues(\.checkpoint)
            renamingsAtSync[inode] = renamings.count
        case .syncEnded(let inode, let path, let promise, let succeeded):
            syncEnded(inode, path, promise, succeeded)
        case .rename(let source, let target):
            guard let file = names[name(source)] else { return }
            rename(removed: [(name(source), file)], added: [(name(target), file)])
        case .link(let source, let target):
            guard let file = names[name(source)] else { return }
            rename(removed: [], added: [(name(target), file)])
        case .name(let inode, let target):
            guard let file = numbers[inode] else { return }
            rename(removed: [], added: [(name(target), file)])
        case .unlink(let path):
            guard let file = names[name(path)] else { return }
            rename(removed: [(name(path), file)], added: [])
        }
    }

    private func name(_ path: String) -> String {
        path.hasPrefix(directory) ? String(path.dropFirst(directory.count)) : path
    }

    private mutating func add(_ inode: UInt64) -> Int {
        let number = (files.keys.max() ?? -1) + 1
        files[number] = ModelFile()
        numbers[inode] = number
        return number
    }

    private mutating func change(_ inode: UInt64, _ body: (inout ModelFile) -> Void) {
        guard let number = numbers[inode] else { return }
        body(&files[number, default: ModelFile()])
    }

    private mutating func rename(removed: [(path: String, file: Int)], added: [(path: String, file: Int)]) {
        let renaming = Renaming(removed: removed, added: added)
        Self.carryOut(renaming, on: &names)
        renamings.append(renaming)
    }

    private static func carryOut(_ renaming: Renaming, on names: inout [String: Int]) {
        for (path, file) in renaming.removed where names[path] == file { names[path] = nil }
        for (path, file) in renaming.added { names[path] = file }
    }

    private mutating func syncEnded(
        _ inode: UInt64, _ path: String, _ promise: FileOperation.Promise, _ succeeded: Bool
    ) {
        let checkpoints = syncs.removeValue(forKey: inode) ?? [:]
        let count = renamingsAtSync.removeValue(forKey: inode) ?? renamings.count
        if promise == .fileSystem {
            for (number, checkpoint) in checkpoints {
                files[number]?.sync(succeeded, since: checkpoint, isWhole: true)
            }
            if succeeded { settleNames(first: count) { _ in true } }
        } else if let number = numbers[inode], let checkpoint = checkpoints[number] {
            files[number]?.sync(succeeded, since: checkpoint, isWhole: promise == .everything)
        } else if succeeded {
            let folder = path.hasPrefix(directory) ? name(path) : ""
            settleNames(first: count) { Self.folder(of: $0) == folder }
        }
    }

    /// The folder of a name, with a slash at its end, or nothing for the directory itself.
    private static func folder(of name: String) -> String {
        name.lastIndex(of: "/").map { String(name[...$0]) } ?? ""
    }

    private mutating func settleNames(first count: Int, where isSettled: (String) -> Bool) {
        for index in 0..<min(count, renamings.count) {
            let settled = Renaming(
                removed: renamings[index].removed.filter { isSettled($0.path) },
                added: renamings[index].added.filter { isSettled($0.path) })
            Self.carryOut(settled, on: &settledNames)
            renamings[index].removed.removeAll { isSettled($0.path) }
            renamings[index].added.removeAll { isSettled($0.path) }
        }
        renamings.removeAll { $0.removed.isEmpty && $0.added.isEmpty }
    }

    // MARK: - After the cut

    /// A state that a power cut may leave now.
    ///
    /// - Parameter random: decides among the states.
    /// - Returns: the state.
    func afterPowerCut(using random: inout SeededRandom) -> DiskState {
        var left = settledNames
        let order = random.next() % 3
        let prefix = Int.random(in: 0...renamings.count, using: &random)
        for (index, renaming) in renamings.enumerated() {
            // A journaling file system keeps their order, others none.
            let isThere = order == 0 ? index < prefix : order == 1 || Bool.random(using: &random)
            if isThere { Self.carryOut(renaming, on: &left) }
        }
        let contents = files.keys.sorted().compactMap { files[$0]?.cache }
        var state = DiskState(names: left)
        for number in Set(left.values).sorted() {
            state.files[number] = files[number]?.afterPowerCut(foreign: contents, using: &random)
        }
        return state
    }
}
