import HaulCore

/// Whatever a server or an address says, a name is one harmless component.
enum NameTarget {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        // Field values are UTF-8 or Latin-1 by the time that names are read from them.
        let text = ContentDisposition.text(bytes)
        let utf16 = bytes.count.isMultiple(of: 2) ? String(decoding: words(bytes), as: UTF16.self) : text
        for text in [text, utf16] {
            try harmless(SuggestedName.choose(contentDisposition: text, path: text, finalPath: nil))
            try harmless(SuggestedName.choose(contentDisposition: nil, path: text, finalPath: text))
            try harmless(SuggestedName.choose(contentDisposition: "attachment; filename=\"\(text)\"", path: ""))
            try harmless(SuggestedName.choose(contentDisposition: "attachment; filename*=UTF-8''\(text)", path: ""))
            if let name = SuggestedName.harmless(text) {
                try harmless(name)
                try Finding.unless(SuggestedName.harmless(name) == name, "made harmless twice, '\(name)' is another")
                try harmless(SuggestedName.numbered(name, 2))
                try harmless(SuggestedName.numbered(name, 1_000_000))
            }
        }
    }

    /// Throws unless `name` is a name that can do no harm in any directory.
    static func harmless(_ name: String) throws(Finding) {
        let bytes = Array(name.utf8)
        try Finding.unless(!bytes.isEmpty, "an empty name")
        try Finding.unless(bytes.count <= 255 - ".haul-journal".utf8.count, "\(bytes.count) bytes")
        try Finding.unless(bytes.first != UInt8(ascii: "."), "a dot in front: \(name)")
        let forbidden = bytes.contains {
            $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\")
        }
        try Finding.unless(!forbidden, "a separator or control character: \(name)")
        for suffix in [".haul", ".haul-journal"] {
            try Finding.unless(
                !HTTPFields.equal(String(decoding: bytes.suffix(suffix.utf8.count), as: UTF8.self), suffix),
                "our own suffix: \(name)")
        }
        let reorders = name.unicodeScalars.contains {
            (0x202A...0x202E).contains($0.value) || (0x2066...0x2069).contains($0.value) || $0.value == 0xFEFF
                || (0x80...0x9F).contains($0.value)
        }
        try Finding.unless(!reorders, "a character that reorders or hides others: \(name)")
    }

    private static func words(_ bytes: [UInt8]) -> [UInt16] {
        stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    }
}
