import Foundation
import Haul

extension URL {
    /// The path that a file URL names.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` for an address of another kind.
    func filePath() throws(DownloadError) -> String {
        guard isFileURL else {
            throw DownloadError(.invalidRequest, "'\(absoluteString)' is no file: make it with URL(fileURLWithPath:)")
        }
        return path
    }
}
