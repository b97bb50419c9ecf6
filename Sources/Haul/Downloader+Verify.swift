import HaulCore
import HaulSystem

extension Downloader {
    /// Reads a file and compares it with what its publisher says.
    ///
    /// Cancelling the calling task ends it.
    ///
    /// - Parameters:
    ///   - path: the file; symbolic links are followed.
    ///   - checksums: digests that it must have.
    ///   - checksumFile: list of checksums with an entry for the file's name; see `DownloadRequest.checksumFile`.
    ///   - options: how to fetch a list from the network.
    /// - Returns: the digests that were compared; all of them hold.
    /// - Throws: `DownloadError` with code `integrity` when one does not hold, `fileSystem` when the file can't be read,
    ///   `invalidRequest` when there is nothing to compare with.
    @concurrent public func verify(
        _ path: String, against checksums: [Checksum], checksumFile: String? = nil,
        options: DownloadOptions = DownloadOptions()
    ) async throws(DownloadError) -> [Checksum] {
        try options.validate()
        let file: String
        do throws(SystemError) {
            file = try SmallFile.resolved(path)
            guard try FileFacts.of(file)?.isRegular == true else {
                throw SystemError(refusing: path, because: "is no regular file")
            }
        } catch {
            throw DownloadError(.fileSystem, error.message, cause: error.cause)
        }
        var wanted = checksums.map(\.digest)
        if let checksumFile {
            let source = try await self.checksums(checksumFile, for: nil, options)
            let name = path.split(separator: "/").last.map { String($0) } ?? path
            do throws(ChecksumList.Problem) {
                wanted += try source.list.digests(for: [name])
            } catch {
                throw DownloadError(source.code, error.reason)
            }
        }
        guard !wanted.isEmpty else {
            throw DownloadError(.invalidRequest, "nothing to compare '\(path)' with: give a checksum")
        }
        let thread = try makeShared().threads[0].check
        let found: [ContentDigest]?
        do throws(SystemError) {
            found = try await FileDigests(thread: thread).digests(of: file, wanted.map(\.algorithm))
        } catch {
            throw DownloadError(.fileSystem, error.message, cause: error.cause)
        }
        guard let found else { throw DownloadError(.cancelled, "interrupted: '\(path)' was not read to its end") }
        for (digest, actual) in zip(wanted, found) where digest != actual {
            throw DownloadError(
                .integrity,
                "\(path): \(digest.algorithm.rawValue) is \(actual.hex), expected \(digest.hex): "
                    + "the file is not what the checksum says")
        }
        return wanted.map { Checksum($0) }
    }
}
