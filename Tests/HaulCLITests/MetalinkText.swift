import HaulOrigin
import HaulTestSupport

/// Text of metalinks for files that a test's server has; digests come from the system's own tool.
struct MetalinkText {
    /// A file and where it is.
    struct File {
        /// The name that the metalink gives it.
        var name: String
        /// Whose bytes it has.
        var resource: OriginResource
        /// Its addresses, the first being the favourite.
        var urls: [String]
        /// The size to name instead of the right one.
        var size: Int64?
        /// Whether the digest of the whole is named.
        var hasWhole = true
        /// Length of pieces, nil for none.
        var pieceLength: Int64?
    }

    /// The text of a metalink, version 4.
    static func make(_ files: [File]) async throws -> String {
        var text = "<?xml version=\"1.0\"?>\n<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\n"
        for file in files {
            text += "<file name=\"\(file.name)\"><size>\(file.size ?? file.resource.size)</size>\n"
            if file.hasWhole {
                let digest = try await digests(of: file.resource, [0..<file.resource.size])
                text += "<hash type=\"sha-256\">\(digest.joined())</hash>\n"
            }
            if let length = file.pieceLength {
                let starts = stride(from: 0, to: file.resource.size, by: Int(length))
                let digests = try await digests(
                    of: file.resource, starts.map { $0..<min(file.resource.size, $0 + length) })
                text += "<pieces length=\"\(length)\" type=\"sha-256\">"
                text += digests.map { "<hash>\($0)</hash>" }.joined() + "</pieces>\n"
            }
            for (index, url) in file.urls.enumerated() {
                text += "<url location=\"de\" priority=\"\(index + 1)\">\(url)</url>\n"
            }
            text += "</file>\n"
        }
        return text + "</metalink>\n"
    }

    /// SHA-256 of ranges of a resource.
    static func digests(of resource: OriginResource, _ ranges: [Range<Int64>]) async throws -> [String] {
        let directory = try TemporaryDirectory()
        var paths: [String] = []
        for (index, range) in ranges.enumerated() {
            let path = directory.file("\(index)")
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: range.count, alignment: 64)
            defer { buffer.deallocate() }
            resource.content.fill(buffer, from: range.lowerBound)
            try FileContents.write(Array(buffer), to: path)
            paths.append(path)
        }
        let outcome = try await ProcessRunner.check("/usr/bin/sha256sum", paths)
        return outcome.outputText.split(separator: "\n").map { String($0.prefix(64)) }
    }
}
