import HaulCore

/// A list of checksums gives only digests that stand in it.
enum ChecksumsTarget {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        for label in ["SHA256SUMS", "b2sums"] {
            guard let list = try? ChecksumList(bytes, label: label) else { continue }
            for names in [["a"], ["big.iso", "a b"]] {
                guard let digests = try? list.digests(for: names) else { continue }
                try Finding.unless(!digests.isEmpty, "no digest and no problem")
                let text = Array(bytes.map { (0x41...0x46).contains($0) ? $0 | 0x20 : $0 })
                for digest in digests {
                    try Finding.unless(digest.bytes.count == digest.algorithm.length, "length of \(digest)")
                    let stands = text.split { !Self.isHex($0) }.contains { $0.elementsEqual(digest.hex.utf8) }
                    try Finding.unless(stands, "\(digest.hex) is not in the list")
                }
                let algorithms = Set(digests.map(\.algorithm))
                try Finding.unless(algorithms.count == digests.count, "two digests of one algorithm: \(digests)")
            }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if let digest = try? ContentDigest(text) {
            let printed = "\(digest.algorithm.rawValue)=\(digest.hex)"
            try Finding.unless((try? ContentDigest(printed)) == digest, "'\(text)' prints as '\(printed)'")
        }
    }

    private static func isHex(_ byte: UInt8) -> Bool { FieldText.nibble(byte) != nil }
}
