import HaulCore
import HaulSystem

extension Downloader {
    /// Lists the partials in a directory, with what they hold, without touching them.
    ///
    /// Each is described as by `status(of:temporaryDirectory:)`. Starting the same request again goes on from it, and so
    /// does one made from its `ResumeToken`.
    ///
    /// - Parameter directory: where partials are: beside the finished files, or `DownloadOptions.temporaryDirectory`.
    /// - Returns: the partials, by name; their `path` is beside them, whatever directory the finished file was meant for.
    /// - Throws: `DownloadError` with code `fileSystem` when the directory can't be read; a partial that can't be is
    ///   left out.
    public func unfinished(in directory: String) throws(DownloadError) -> [PartialDownload] {
        let suffix = DownloadPaths.partSuffix
        let names: [String]
        do throws(SystemError) {
            names = try DirectoryListing.names(in: directory, endingIn: [suffix]) ?? []
        } catch {
            throw DownloadError(.fileSystem, error.message, cause: error.cause)
        }
        return names.filter { $0 != suffix }.sorted().compactMap { name in
            // One that ends meanwhile is none any more.
            (try? status(of: DownloadPaths.joined(directory, name))) ?? nil
        }
    }

    /// Removes a partial and its journal, unless a download is on it.
    ///
    /// - Parameter partial: what to remove.
    /// - Throws: `DownloadError` with code `partialInUse` when a download is on it, `fileSystem` when it can't be removed.
    @concurrent public func discard(_ partial: PartialDownload) async throws(DownloadError) {
        let suffix = DownloadPaths.partSuffix
        let parts = PathParts(partial.partialPath)
        let name = parts.name.dropLast(suffix.count)
        do throws(SystemError) {
            try await Download.remove(DownloadPaths(final: String(parts.directory + name)))
        } catch {
            throw DownloadError(error)
        }
    }
}

extension Download {
    /// Removes what a download has left.
    ///
    /// - Returns: why it stays, for the user; nil if it is gone. It does no harm: another download is on it, perhaps.
    static func discard(_ path: String, temporaryDirectory: String?) async -> String? {
        do throws(SystemError) {
            try await remove(DownloadPaths.located(final: path, temporaryDirectory: temporaryDirectory))
            return nil
        } catch {
            return "what was received is kept: \(error.message)"
        }
    }

    /// Removes partial and journal, if nobody is on them.
    fileprivate static func remove(_ paths: DownloadPaths) async throws(SystemError) {
        let store = DownloadStore(paths, thread: ThreadExecutor(name: "haul.discard"))
        let outcome: Result<Void, SystemError>
        do throws(SystemError) {
            _ = try await store.openExisting()
            try await store.discard()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await store.close()
        try outcome.get()
    }
}
