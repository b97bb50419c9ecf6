import HaulCore

/// A header line of a user stays one line, and sets no field that is haul's own.
enum HeaderLineTarget {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        guard let line = try? HeaderLine(String(decoding: bytes, as: UTF8.self)) else { return }
        switch line {
        case .set(let field):
            let isOneLine = !(field.name + field.value).utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
            try Finding.unless(isOneLine, "a line break in \(field)")
            let isToken = !field.name.isEmpty && field.name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x3A }
            try Finding.unless(isToken, "name '\(field.name)'")
            let own = ["range", "if-range", "host", "connection", "content-length", "transfer-encoding", "if-match"]
            try Finding.unless(!own.contains(field.name.lowercased()), "sets \(field.name)")
        case .removed(let name):
            try Finding.unless(!name.isEmpty, "removes a field without a name")
        }
    }
}
