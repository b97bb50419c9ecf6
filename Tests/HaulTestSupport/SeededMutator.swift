/// Changes inputs at random: what libFuzzer does with more insight, where that is not linked in.
package struct SeededMutator {
    private var random: SeededRandom
    private let corpus: [[UInt8]]

    /// Texts that mean something to one of the targets.
    private static let words = [
        "bytes ", "*/", "-", "9223372036854775807", "9223372036854775808", "0", "/", "\\", "..", "%2F", "%00", "%",
        "filename", "filename*=", "UTF-8''", "\"", "\\\"", ";", "=", ".haul", ".haul-journal", ".tar.gz", "\r\n", "\n",
        "HTTP/1.1 206 Partial Content\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "Content-Range: ", "Content-Length: ",
        "ETag: W/\"x\"\r\n", "Last-Modified: ", "Sun, 06 Nov 1994 08:49:37 GMT", "Repr-Digest: sha-256=:", "http://",
        "https://", "@", "#", "?", "[::1]", ":0", ":65536", "//", "e\u{301}", "\u{202E}", "\u{0}", "sha-256=",
        "SHA256 (",
        ") = ", "\t", " ", "  out=", "# ",
    ].map { Array($0.utf8) }

    /// Makes a mutator.
    ///
    /// - Parameters:
    ///   - corpus: inputs to begin from.
    ///   - seed: decides everything.
    package init(corpus: [[UInt8]], seed: UInt64) {
        self.corpus = corpus.isEmpty ? [[]] : corpus
        random = SeededRandom(seed: seed)
    }

    /// The next input.
    package mutating func next() -> [UInt8] {
        var bytes = corpus.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 0...6, using: &random) { mutate(&bytes) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        case 3 where place < bytes.count:
            bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...8, using: &random)))
        case 4: bytes.insert(contentsOf: Self.words.randomElement(using: &random) ?? [], at: place)
        case 5:
            let other = corpus.randomElement(using: &random) ?? []
            bytes = Array(bytes.prefix(place)) + other.suffix(Int.random(in: 0...other.count, using: &random))
        case 6 where bytes.count < 4096: bytes.insert(contentsOf: bytes.suffix(from: place), at: place)
        default: bytes = Array(bytes.prefix(place))
        }
    }
}
