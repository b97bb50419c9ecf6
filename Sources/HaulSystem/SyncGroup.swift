import Synchronization

/// Syncs of many small files at once: those that ask while one is under way share the next.
///
/// A file's sync waits mostly for the disk to confirm, and one confirmation serves all files written before it.
package actor SyncGroup {
    private typealias Continuation = CheckedContinuation<Result<Void, SystemError>, Never>

    private enum Item {
        case file(PartFile)
        case directory(String)
    }

    private struct Inbox {
        var items: [(item: Item, continuation: Continuation)] = []
        var isWorking = false
    }

    private let thread: ThreadExecutor
    private let inbox = Mutex(Inbox())

    /// Fewest files for which the whole file system is synced at once.
    private static let fewest = 4

    /// Makes a group.
    ///
    /// - Parameter thread: where syncs run; they block it.
    package init(thread: ThreadExecutor) { self.thread = thread }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Waits until a file's data, mode and time are on the disk.
    ///
    /// - Parameter part: the file.
    /// - Throws: what fsync(2) or syncfs(2) said.
    package nonisolated func sync(_ part: PartFile) async throws(SystemError) { try await wait(.file(part)) }

    /// Waits until the names in a file's directory are on the disk.
    ///
    /// - Parameter path: the file.
    /// - Throws: what fsync(2) said.
    package nonisolated func syncDirectory(of path: String) async throws(SystemError) {
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        try await wait(.directory(directory))
    }

    private nonisolated func wait(_ item: Item) async throws(SystemError) {
        let result = await withCheckedContinuation { (continuation: Continuation) in
            let isFirst = inbox.withLock { inbox in
                inbox.items.append((item, continuation))
                defer { inbox.isWorking = true }
                return !inbox.isWorking
            }
            if isFirst { Task { await self.work() } }
        }
        try result.get()
    }

    private func work() {
        while true {
            let items = inbox.withLock { inbox in
                defer { inbox.items = [] }
                inbox.isWorking = !inbox.items.isEmpty
                return inbox.items
            }
            guard !items.isEmpty else { return }
            syncFiles(items)
            syncDirectories(items)
        }
    }

    private func syncFiles(_ items: [(item: Item, continuation: Continuation)]) {
        var files: [(part: PartFile, continuation: Continuation)] = []
        for (item, continuation) in items {
            if case .file(let part) = item { files.append((part, continuation)) }
        }
        if files.count >= Self.fewest, let first = files.first {
            do throws(SystemError) {
                if try areOnOneFileSystem(files.map(\.part)), try first.part.syncFileSystem() {
                    for file in files { file.continuation.resume(returning: .success(())) }
                    return
                }
            } catch {
                // Which file it was is found out below.
            }
        }
        for file in files { file.part.startWriteback() }
        for file in files {
            do throws(SystemError) {
                try file.part.sync()
                file.continuation.resume(returning: .success(()))
            } catch {
                file.continuation.resume(returning: .failure(error))
            }
        }
    }

    private func areOnOneFileSystem(_ parts: [PartFile]) throws(SystemError) -> Bool {
        var device: UInt64?
        for part in parts {
            let its = try part.device()
            if let device, device != its { return false }
            device = its
        }
        return true
    }

    private func syncDirectories(_ items: [(item: Item, continuation: Continuation)]) {
        var results: [String: Result<Void, SystemError>] = [:]
        for (item, continuation) in items {
            guard case .directory(let directory) = item else { continue }
            if results[directory] == nil {
                do throws(SystemError) {
                    try PartFile.syncDirectory(of: directory)
                    results[directory] = .success(())
                } catch {
                    results[directory] = .failure(error)
                }
            }
            continuation.resume(returning: results[directory] ?? .success(()))
        }
    }
}
