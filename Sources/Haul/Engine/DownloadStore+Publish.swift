import HaulCore
package import HaulSystem

extension DownloadStore {
    /// Gives the file its final name and removes the journal.
    ///
    /// - Parameters:
    ///   - modificationTime: of the finished file, in seconds since 1970; nil is now.
    ///   - replacing: whether a file of that name gives way.
    ///   - sync: whether to wait for the disk before the name appears.
    ///   - size: size of the file: what lies behind it is cut off, less is an error; nil, whatever is there.
    ///   - mode: permission bits; nil is those that the process gives to new files.
    /// - Throws: an error with `isExists` if something bears the name, and `replacing` is false. If syncing failed,
    ///   nothing on hand counts any more.
    package func publish(
        modificationTime: Int64?, replacing: Bool, sync: Bool, size: Int64? = nil, mode: UInt32? = nil
    ) throws(SystemError) {
        guard let part = try readyToPublish(size: size) else { return }
        do throws(SystemError) {
            try part.publish(
                as: paths.final, modificationTime: modificationTime, replacing: replacing, sync: sync, mode: mode)
        } catch {
            notPublished(error, part)
            throw error
        }
        finish()
    }

    /// Gives the file its final name when it is on the disk, synced together with others on their thread.
    ///
    /// - Parameters:
    ///   - modificationTime: of the finished file, in seconds since 1970; nil is now.
    ///   - replacing: whether a file of that name gives way.
    ///   - size: size of the file: what lies behind it is cut off, less is an error; nil, whatever is there.
    ///   - mode: permission bits; nil is those that the process gives to new files.
    ///   - group: what syncs it.
    /// - Throws: as the other `publish`.
    package func publish(
        modificationTime: Int64?, replacing: Bool, size: Int64?, mode: UInt32?, through group: SyncGroup
    ) async throws(SystemError) {
        guard let part = try readyToPublish(size: size) else { return }
        do throws(SystemError) {
            try await group.publish(
                part, as: paths.final, modificationTime: modificationTime, replacing: replacing, mode: mode)
        } catch {
            notPublished(error, part)
            throw error
        }
        finish()
    }

    /// The partial, of the right size and with no journal beside it that did not count.
    private func readyToPublish(size: Int64?) throws(SystemError) -> PartFile? {
        guard let part else { return nil }
        try fit(size)
        // One that did not count, and no other took its place.
        if journal == nil, !hasNoJournal { try? JournalFile.remove(paths.journal) }
        return part
    }

    private func notPublished(_ error: SystemError, _ part: PartFile) {
        guard error.call == .fsync else { return }
        // With the name in place only the directory's way to the disk failed.
        if error.path == part.path { distrust() } else { finishIfNamed(part) }
    }

    /// Cuts off what lies behind the end.
    private func fit(_ size: Int64?) throws(SystemError) {
        guard let size, let part else { return }
        let length = try part.size()
        guard length >= size else {
            throw SystemError(refusing: paths.part, because: "has \(length) bytes instead of \(size)")
        }
        if length > size { try part.truncate(size) }
    }

    /// Nothing on hand counts any more, since a sync of the partial failed.
    ///
    /// The kernel reports a failed write-back once, and may take the pages for written from then on: they read well, the
    /// next sync succeeds, and the bytes are not on the disk. Which ones, nobody can tell.
    private func distrust() {
        known = []
        journal = nil
        // Removing needs no room, as a journal that says less would.
        do throws(SystemError) {
            try JournalFile.remove(paths.journal)
            hasNoJournal = true
        } catch {
            try? part?.truncate()
        }
    }

    /// Removes the journal if the partial has its final name already.
    private func finishIfNamed(_ part: PartFile) {
        if (try? part.isStillNamed()) == false { finish() }
    }
}
