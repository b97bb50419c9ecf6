extension MetalinkReader {
    /// A file whose element has not ended.
    struct Draft: Sendable {
        /// An address and how much the publisher likes it.
        private struct Address: Sendable {
            let url: String
            /// The lowest comes first (RFC 5854 §4.2.16.2).
            let priority: Int64
        }

        /// Most pieces of a file: 16 TiB in pieces of 16 MiB.
        private static let mostPieces = 1 << 20
        /// Priority of an address without one: behind all others (RFC 5854 §4.2.16.2).
        private static let lowestPriority: Int64 = 999_999

        private var file: MetalinkFile
        private var addresses: [Address] = []
        private var foreignHash: String?
        private var warnings: [MetalinkFinding] = []
        private var refusal: MetalinkFinding?
        /// Pieces whose element is open, and whether they can be used.
        private var algorithm: ContentDigest.Algorithm?
        private var pieceLength: Int64 = 0
        private var values: [UInt8] = []

        init(name: String, line: Int) { file = MetalinkFile(name: name, line: line) }

        /// Takes note of why the file can't be fetched; the first reason stays.
        mutating func refuse(_ reason: String, line: Int) {
            refusal = refusal ?? .unusable(line: line, reason: reason)
        }

        mutating func takeSize(_ text: String, line: Int) {
            guard let size = FieldText.number(text.utf8) else {
                return refuse("'\(text.prefix(40))' is no size", line: line)
            }
            file.size = size
        }

        mutating func takeHash(_ type: String, _ text: String, line: Int) {
            guard let algorithm = ContentDigest.Algorithm(named: type) else {
                foreignHash = foreignHash ?? type
                return
            }
            guard let digest = FieldText.bytes(hex: text).flatMap({ ContentDigest(algorithm, bytes: $0) }) else {
                return refuse("'\(text.prefix(40))' is no \(algorithm.rawValue) digest", line: line)
            }
            if let other = file.digests.first(where: { $0.algorithm == algorithm }), other != digest {
                return refuse("the file has two different \(algorithm.rawValue) digests", line: line)
            }
            if !file.digests.contains(digest) { file.digests.append(digest) }
        }

        mutating func takeAddress(_ text: String, _ attributes: [String: String], atMost limit: Int, line: Int) {
            let isFetched = ["http://", "https://"].contains { text.lowercased().hasPrefix($0) }
            // Version 3 names torrents by http addresses too, and says so in the type.
            let type = attributes["type"]?.lowercased() ?? "http"
            guard isFetched, ["http", "https"].contains(type) else { return }
            guard addresses.count < limit else {
                if addresses.count == limit {
                    warnings.append(.warning(line: line, reason: "only the first \(limit) addresses are used"))
                    // Says it once.
                    addresses.append(Address(url: "", priority: .max))
                }
                return
            }
            let preference = attributes["preference"].flatMap { FieldText.number($0.utf8) }
            let priority = attributes["priority"].flatMap { FieldText.number($0.utf8) } ?? preference.map { 101 - $0 }
            addresses.append(Address(url: text, priority: priority ?? Self.lowestPriority))
        }

        // MARK: - Pieces

        mutating func beginPieces(_ attributes: [String: String], line: Int) {
            values = []
            algorithm = nil
            guard let kind = ContentDigest.Algorithm(named: attributes["type"] ?? "") else { return }
            guard let length = FieldText.number((attributes["length"] ?? "").utf8), length > 0 else {
                return warnings.append(.warning(line: line, reason: "pieces without a length are passed over"))
            }
            // The strongest kind is enough.
            if let known = file.pieces?.algorithm, known.length >= kind.length { return }
            algorithm = kind
            pieceLength = length
        }

        mutating func takePiece(_ text: String, number: String?, line: Int) {
            guard let algorithm else { return }
            let index = values.count / algorithm.length
            let isInOrder = number.map { FieldText.number($0.utf8) == Int64(index) } ?? true
            guard isInOrder, index < Self.mostPieces, let bytes = FieldText.bytes(hex: text),
                bytes.count == algorithm.length
            else {
                self.algorithm = nil
                let reason = "piece \(index) has no good \(algorithm.rawValue) digest: pieces are passed over"
                return warnings.append(.warning(line: line, reason: reason))
            }
            values += bytes
        }

        mutating func endPieces() {
            guard let algorithm, let pieces = PieceDigests(algorithm, length: pieceLength, values: values) else {
                return
            }
            file.pieces = pieces
            values = []
            self.algorithm = nil
        }

        // MARK: - End

        /// What has become of it.
        func findings() -> [MetalinkFinding] {
            if let refusal { return [refusal] }
            let found = addresses.enumerated().filter { !$0.element.url.isEmpty }.sorted {
                ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset)
            }
            guard !found.isEmpty else {
                let reason = "file '\(file.name.prefix(80))' has no http or https address"
                return [.unusable(line: file.line, reason: reason)]
            }
            var file = file
            var warnings = warnings
            file.urls = []
            for address in found where !file.urls.contains(address.element.url) {
                file.urls.append(address.element.url)
            }
            if let size = file.size, let pieces = file.pieces, !pieces.cover(size) {
                file.pieces = nil
                warnings.append(.warning(line: file.line, reason: "pieces that don't fit the size are passed over"))
            }
            if file.digests.isEmpty, file.pieces == nil, let foreignHash {
                let reason = "hashes of type '\(foreignHash.prefix(40))' are not computed: the file is not compared"
                warnings.append(.warning(line: file.line, reason: reason))
            }
            return warnings + [.file(file)]
        }
    }
}
