/// Algorithm and value of a digest of a whole file.
package struct ContentDigest: Hashable, Sendable {
    /// The digests that haul computes.
    package enum Algorithm: String, CaseIterable, Sendable {
        case md5 = "md5"
        case sha1 = "sha-1"
        case sha256 = "sha-256"
        case sha384 = "sha-384"
        case sha512 = "sha-512"
        case blake2b = "blake2b"
        case crc32c = "crc32c"

        /// Length of the value in bytes.
        package var length: Int {
            switch self {
            case .md5: 16
            case .sha1: 20
            case .sha256: 32
            case .sha384: 48
            case .sha512, .blake2b: 64
            case .crc32c: 4
            }
        }

        /// Whether nobody can make two files with one value: what vouches for bytes of hosts that the user did not name.
        package var resistsForgery: Bool {
            switch self {
            case .sha256, .sha384, .sha512, .blake2b: true
            case .md5, .sha1, .crc32c: false
            }
        }

        /// The algorithm of that name; names compare without case and hyphens.
        package init?(named name: String) {
            let plain = name.lowercased().filter { $0 != "-" }
            guard let known = Self.allCases.first(where: { $0.rawValue.filter { $0 != "-" } == plain }) else {
                return nil
            }
            self = known
        }
    }

    /// Why a text is no digest.
    package struct Malformed: Error, Hashable, Sendable {
        /// What is wrong, in words.
        package let reason: String
    }

    /// Algorithm of the digest.
    package let algorithm: Algorithm
    /// The value, `algorithm.length` bytes; CRC-32C in network order.
    package let bytes: [UInt8]

    /// Makes a digest from its value.
    ///
    /// - Returns: nil when `bytes` has not the algorithm's length.
    package init?(_ algorithm: Algorithm, bytes: [UInt8]) {
        guard bytes.count == algorithm.length else { return nil }
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// Makes the digest of bytes whose CRC-32C is known.
    package init(crc32c checksum: UInt32) {
        algorithm = .crc32c
        bytes = (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) }
    }

    /// Reads `ALGO=HEX` or `ALGO:HEX`; names compare without case and hyphens.
    package init(_ text: String) throws(Malformed) {
        guard let mark = text.firstIndex(where: { $0 == "=" || $0 == ":" }) else {
            throw Malformed(reason: "checksum '\(text)' has no algorithm: write ALGO=HEX, such as sha-256=…")
        }
        guard let algorithm = Algorithm(named: String(text[..<mark])) else {
            let known = Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw Malformed(reason: "unknown checksum algorithm '\(text[..<mark])': use one of \(known)")
        }
        let digits = text[text.index(after: mark)...]
        guard let bytes = FieldText.bytes(hex: digits), bytes.count == algorithm.length else {
            throw Malformed(
                reason: "checksum '\(digits)' is not a \(algorithm.rawValue) value: "
                    + "\(algorithm.length * 2) hexadecimal digits are needed")
        }
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// The value in lower-case hexadecimal digits.
    package var hex: String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
