public import Foundation
public import Haul

extension DownloadRequest {
    /// Makes a request for one file.
    ///
    /// - Parameters:
    ///   - url: http or https address.
    ///   - file: the finished file's place, a file URL; with any other the download fails with `invalidRequest`.
    ///   - checksum: what the publisher says the file's digest is.
    public init(_ url: URL, to file: URL, expecting checksum: Checksum? = nil) {
        // An empty name is none, and refused.
        self.init(url.absoluteString, to: file.isFileURL ? file.path : "", expecting: checksum)
    }

    /// Makes a request for a file that the server or the address names (RFC 6266).
    ///
    /// - Parameters:
    ///   - url: http or https address.
    ///   - directory: where the finished file goes, a file URL; with any other the download fails with `invalidRequest`.
    public init(_ url: URL, into directory: URL) {
        self.init(url.absoluteString, to: directory.isFileURL ? .directory(directory.path) : .file(""))
    }

    /// Makes a request that goes on where a token says.
    ///
    /// - Parameters:
    ///   - token: where to go on.
    ///   - url: the address, where that had a query, or another one of the same file.
    /// - Throws: `DownloadError` with code `invalidRequest` when the token can't be gone on from.
    public init(resuming token: ResumeToken, from url: URL) throws(DownloadError) {
        try self.init(resuming: token, from: url.absoluteString)
    }
}

extension DownloadReceipt {
    /// The finished file.
    public var fileURL: URL { URL(fileURLWithPath: path) }
}

extension PartialDownload {
    /// The finished file, once there is one.
    public var fileURL: URL { URL(fileURLWithPath: path) }
}
