import HaulCore
import HaulMetalink
import HaulSystem

/// A metalink that is being read.
final class MetalinkDocument {
    /// Where its bytes come from.
    enum Content: ~Copyable {
        /// A path.
        case file(SequentialFile)
        /// Bytes that are here.
        case bytes([UInt8])
    }

    /// Bytes given to the parser at once.
    private static let pieceLength = 64 << 10

    /// What messages call it.
    let label: String
    /// What it is that can't be read: the caller's file, or somebody's document.
    let code: DownloadError.Code
    /// Whom secrets may go to that were given for its files.
    let owner: DownloadRequest.SecretsOwner
    /// Whether all of it was read.
    private(set) var isAtEnd = false
    private let content: Content
    private var parser: MetalinkParser
    private var findings: ArraySlice<MetalinkFinding> = []
    private var position = 0

    /// Makes a document of which nothing is read.
    init(
        _ content: consuming Content, label: String, code: DownloadError.Code, owner: DownloadRequest.SecretsOwner
    ) throws(DownloadError) {
        self.content = content
        self.owner = owner
        self.label = label
        self.code = code
        do throws(MetalinkProblem) { parser = try MetalinkParser() } catch {
            throw DownloadError(.other, "\(label): \(error.reason)")
        }
    }

    /// Reads on to the next finding.
    ///
    /// - Returns: nil at the end, or when the calling task is cancelled.
    /// - Throws: why the rest can't be read.
    func next() async throws(DownloadError) -> MetalinkFinding? {
        while true {
            if let finding = findings.popFirst() { return finding }
            if let problem = parser.problem {
                throw DownloadError(code, "\(label):\(max(1, problem.line)): \(problem.reason)")
            }
            if isAtEnd { return nil }
            guard let bytes = try read() else {
                // A pipe whose writer takes its time: no thread waits for that.
                do { try await Task.sleep(for: .milliseconds(20)) } catch { return nil }
                continue
            }
            take(bytes)
        }
    }

    private func take(_ bytes: [UInt8]) {
        isAtEnd = bytes.isEmpty
        findings = (isAtEnd ? parser.finish() : parser.take(bytes.span.bytes))[...]
    }

    private func read() throws(DownloadError) -> [UInt8]? {
        switch content {
        case .bytes(let bytes):
            let end = min(bytes.count, position + Self.pieceLength)
            defer { position = end }
            return Array(bytes[position..<end])
        case .file(let file):
            do throws(SystemError) { return try file.read() } catch {
                throw DownloadError(code, "the metalink can't be read: \(error.message)")
            }
        }
    }
}
