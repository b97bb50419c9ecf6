import HaulCore
import HaulCurl

/// What is judged is what is requested: an address that was taken apart reads the same again.
enum AddressTarget {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        let first = String(decoding: parts[0], as: UTF8.self)
        let reference = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : first
        if let url = try? CurlURLParser.parse(first, relativeTo: nil) { try consistent(url) }
        for base in ["https://example.com/a/b?c", "http://[::1]:8080/", first] {
            guard let base = try? CurlURLParser.parse(base, relativeTo: nil),
                let target = try? CurlURLParser.parse(reference, relativeTo: base)
            else { continue }
            try consistent(target)
            let verdict = RedirectPolicy().judge(from: base, to: target, hops: 0)
            let isDowngrade = base.scheme == "https" && target.scheme == "http"
            try Finding.unless((verdict == .follow) == !isDowngrade, "\(base.text) to \(target.text): \(verdict)")
        }
    }

    private static func consistent(_ url: ResourceURL) throws(Finding) {
        try Finding.unless(["http", "https"].contains(url.scheme), "scheme \(url.scheme)")
        try Finding.unless((1...65535).contains(url.port), "port \(url.port)")
        let isClean = url.text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        try Finding.unless(isClean, "the request line would hold more than an address: \(url.text)")
        let hostEnd = url.host.utf8.contains { $0 <= 0x20 || "/?#@\\".utf8.contains($0) }
        try Finding.unless(!url.host.isEmpty && !hostEnd, "host '\(url.host)'")
        let isRooted = url.path.utf8.first == UInt8(ascii: "/")
        try Finding.unless(isRooted, "path '\(url.path)'")
        let authority = url.text.dropFirst(url.scheme.count + 3).prefix { !"/?#".contains($0) }
        try Finding.unless(!authority.contains("@"), "a password in \(url.text)")
        if let query = url.query, !query.isEmpty {
            let shown = url.redacted
            try Finding.unless(
                shown.hasSuffix("?…") && !shown.dropLast().contains("?" + query), "shows its query: \(shown)")
        }
        let again: ResourceURL
        do {
            again = try CurlURLParser.parse(url.text, relativeTo: nil)
        } catch {
            throw Finding("'\(url.text)' does not read again: \(error.reason)")
        }
        let isSame =
            again.origin == url.origin && again.path == url.path && again.query == url.query && again.userInfo == nil
        try Finding.unless(isSame && again.text == url.text, "\(url) reads again as \(again)")
    }
}
