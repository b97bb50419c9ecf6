import HaulCore
import HaulSystem

extension Downloader {
    /// Longest list of checksums on disk, in bytes.
    private static let localLimit = 16 << 20
    /// Longest list of checksums from the network, in bytes.
    private static let remoteLimit = 1 << 20

    /// A list of checksums, from disk or network.
    struct ChecksumSource {
        /// The list.
        let list: ChecksumList
        /// What a missing entry is: a mistake of the caller's, or of the publisher's.
        let code: DownloadError.Code
    }

    /// The request with the digests that its list of checksums gives.
    func findingChecksums(
        _ request: DownloadRequest, _ options: DownloadOptions
    ) async throws(DownloadError) -> DownloadRequest {
        guard let file = request.checksumFile else { return request }
        let source = try await checksums(file, for: request, options)
        let url = try address(request.url)
        var names: [String] = []
        if case .file(let path) = request.destination {
            names = path.split(separator: "/").last.map { [String($0)] } ?? []
        }
        if let last = SuggestedName.fromPath(url.path), !names.contains(last) { names.append(last) }
        var request = request
        do throws(ChecksumList.Problem) {
            request.checksums += try source.list.digests(for: names).map { Checksum($0) }
            return request
        } catch {
            if case .file = request.destination { throw DownloadError(source.code, error.reason) }
        }
        // The server may give another name: it is asked for it.
        let name = try await nameByServer(request, options)
        if !names.contains(name) { names.append(name) }
        do throws(ChecksumList.Problem) {
            request.checksums += try source.list.digests(for: names).map { Checksum($0) }
        } catch {
            throw DownloadError(source.code, error.reason)
        }
        return request
    }

    /// Reads a list of checksums from a path or an address; credentials of `request` go to its own origin only.
    func checksums(
        _ file: String, for request: DownloadRequest?, _ options: DownloadOptions
    ) async throws(DownloadError) -> ChecksumSource {
        let isRemote = Self.isAddress(file)
        let bytes = isRemote ? try await fetchList(file, request, options) : try Self.readList(file)
        let code: DownloadError.Code = isRemote ? .integrity : .invalidRequest
        let label = isRemote ? try address(file).redacted : file
        do throws(ChecksumList.Problem) {
            return ChecksumSource(list: try ChecksumList(bytes, label: label), code: code)
        } catch {
            throw DownloadError(code, error.reason)
        }
    }

    private static func readList(_ file: String) throws(DownloadError) -> [UInt8] {
        do throws(SystemError) {
            if let bytes = try SmallFile.read(file, limit: localLimit) { return bytes }
        } catch {
            throw DownloadError(.invalidRequest, "the list of checksums can't be read: \(error.message)")
        }
        throw DownloadError(.invalidRequest, "\(file): longer than 16 MiB, this is no list of checksums")
    }

    private func fetchList(
        _ file: String, _ request: DownloadRequest?, _ options: DownloadOptions
    ) async throws(DownloadError) -> [UInt8] {
        let url = try address(file)
        let range = ByteRange(0, Int64(Self.remoteLimit) + 1)
        let bytes = try await beginning(of: url, range, for: request ?? DownloadRequest(file, to: "."), options).bytes
        guard bytes.count <= Self.remoteLimit else {
            throw DownloadError(.integrity, "\(url.redacted): longer than 1 MiB, this is no list of checksums")
        }
        return bytes
    }

    private func nameByServer(
        _ request: DownloadRequest, _ options: DownloadOptions
    ) async throws(DownloadError) -> String {
        let url = try address(request.url)
        let answer = try await beginning(of: url, ByteRange(0, 1), for: request, options).answer
        return SuggestedName.choose(contentDisposition: answer.resource.contentDisposition, path: url.path)
    }

    /// Fetches the beginning of a file into memory, with the usual retries; credentials go to the request's origin only.
    func beginning(
        of url: ResourceURL, _ range: ByteRange, for request: DownloadRequest, _ options: DownloadOptions
    ) async throws(DownloadError) -> Sampler<AnyTransport>.Block {
        let sink = ProgressSink()
        let engine = try engine(for: request, options, sink)
        let run = DownloadRun(engine)
        return try await Sampler(engine: engine, sender: run.sender).block(
            range, size: nil, at: url, on: Slot(engine.firstSlot))
    }
}
