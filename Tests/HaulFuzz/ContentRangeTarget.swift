import HaulCore

/// A `Content-Range` lies within its total, and printed as the standard says it reads the same.
enum ContentRangeTarget {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let content = ContentRange(text) else { return }
        try Finding.unless(content.range != nil || content.total != nil, "neither range nor total")
        let total = content.total.map { "\($0)" } ?? "*"
        try Finding.unless(content.total ?? 0 >= 0, "negative total")
        guard let range = content.range else {
            return try Finding.unless(ContentRange("bytes */\(total)") == content, "does not print and read the same")
        }
        try Finding.unless(range.lowerBound >= 0 && !range.isEmpty, "impossible range \(range)")
        try Finding.unless(range.upperBound <= content.total ?? .max, "past the total")
        let printed = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
        try Finding.unless(ContentRange(printed) == content, "does not print and read the same")
        let numbers = text.utf8.split { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
        try Finding.unless(numbers == (content.total == nil ? 2 : 3), "numbers that the field does not have")
        let asked =
            range.upperBound == .max
            ? "bytes=\(range.lowerBound)-" : "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
        try Finding.unless(ContentRange.request(range) == asked, "asks for something else")
    }
}
