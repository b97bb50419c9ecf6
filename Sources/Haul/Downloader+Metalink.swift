import HaulCore
import HaulMetalink
import HaulSystem

extension Downloader {
    /// Longest metalink from the network, in bytes.
    private static let metalinkLimit = 16 << 20

    /// Reads which files a metalink describes, version 4 (RFC 5854) or 3.
    ///
    /// Of each file come its http and https addresses by priority, size, digests of the whole and of pieces, and its name,
    /// made one harmless path component. Locations, signatures and other protocols are ignored. A path is read as its
    /// files are asked for, so that it may be of any length; from the network come at most 16 MiB.
    ///
    /// `headers`, `cookies` and `credentials` of the template go to the origin of the metalink's own address, and to no
    /// other that the metalink names unless `DownloadOptions.trustsRedirects` is set.
    ///
    /// - Parameters:
    ///   - file: a path, or an http or https address.
    ///   - directory: where the files go.
    ///   - template: what all requests have in common; its address, mirrors and destination do not count.
    ///   - options: how the metalink is fetched, and how requests are judged.
    /// - Returns: its files; give their requests to `download(contentsOf:)`.
    public func requests(
        fromMetalink file: String, into directory: String = ".",
        like template: DownloadRequest = DownloadRequest("", to: .directory(".")),
        options: DownloadOptions = DownloadOptions()
    ) -> MetalinkEntries {
        MetalinkEntries(
            downloader: self, file: file,
            template: MetalinkTemplate(request: template, directory: directory, options: options))
    }

    func openMetalink(
        _ file: String, _ template: MetalinkTemplate
    ) async throws(DownloadError) -> MetalinkDocument {
        guard Self.isAddress(file) else {
            let content: SequentialFile
            do throws(SystemError) {
                content = try SequentialFile(file)
            } catch {
                throw DownloadError(.invalidRequest, "the metalink can't be read: \(error.message)")
            }
            return try MetalinkDocument(.file(content), label: file, code: .invalidRequest, owner: .nobody)
        }
        var request = template.request
        request.url = file
        request.destination = .directory(template.directory)
        request.mirrors = []
        request.checksumFile = nil
        let url = try address(file)
        let range = ByteRange(0, Int64(Self.metalinkLimit) + 1)
        let bytes = try await beginning(of: url, range, for: request, template.options).bytes
        guard bytes.count <= Self.metalinkLimit else {
            throw DownloadError(.integrity, "\(url.redacted): longer than 16 MiB, this is no metalink")
        }
        return try MetalinkDocument(.bytes(bytes), label: url.redacted, code: .integrity, owner: .address(file))
    }

    /// Whether a text that may be a path is an address.
    package static func isAddress(_ text: String) -> Bool {
        ["http://", "https://"].contains { text.lowercased().hasPrefix($0) }
    }

    /// What a finding means to the caller.
    func entry(
        _ finding: MetalinkFinding, of document: MetalinkDocument, _ template: MetalinkTemplate
    ) -> MetalinkEntry {
        switch finding {
        case .warning(let line, let reason): return .notice("\(document.label):\(line): \(reason)")
        case .unusable(let line, let reason):
            return .unusable(DownloadError(document.code, "\(document.label):\(line): \(reason)"))
        case .file(let file):
            do throws(DownloadError) {
                let request = try request(for: file, of: document, template)
                try validate(request, options: template.options)
                return .request(request)
            } catch {
                return .unusable(DownloadError(document.code, "\(document.label):\(file.line): \(error.message)"))
            }
        }
    }

    private func request(
        for file: MetalinkFile, of document: MetalinkDocument, _ template: MetalinkTemplate
    ) throws(DownloadError) -> DownloadRequest {
        let urls = file.urls.filter { (try? address($0)) != nil }
        // Without any the first says what is wrong with it.
        let first = try address(urls.first ?? file.urls.first ?? "")
        var request = template.request
        let name = SuggestedName.harmless(file.name) ?? SuggestedName.fromPath(first.path) ?? SuggestedName.fallback
        request.destination = .file(DownloadPaths.joined(template.directory, name))
        request.url = urls.first ?? first.text
        request.mirrors = Array(urls.dropFirst())
        request.checksums += file.digests.map { Checksum($0) }
        request.pieces = file.pieces.map { PieceChecksums($0) }
        request.expectedSize = file.size
        request.secretsOwner = document.owner
        return request
    }
}
