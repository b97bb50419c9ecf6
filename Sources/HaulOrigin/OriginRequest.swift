/// A request as it came: request line and fields.
package struct OriginRequest: Hashable, Sendable {
    /// Method as spelled, such as `GET`.
    package var method: String
    /// Request target as spelled: path and query.
    package var target: String
    /// Field lines in order.
    package var fields: [OriginField]

    /// Makes a request.
    package init(method: String = "GET", target: String, fields: [OriginField] = []) {
        self.method = method
        self.target = target
        self.fields = fields
    }

    /// Reads a request's head, nil if it is none.
    ///
    /// - Parameter head: everything before the empty line.
    package init?(head: [UInt8]) {
        var lines = head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true).map { line in
            line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }[...]
        guard let first = lines.popFirst() else { return nil }
        let words = first.split(separator: UInt8(ascii: " "))
        guard words.count == 3, words[2].starts(with: "HTTP/1.".utf8) else { return nil }
        method = String(decoding: words[0], as: UTF8.self)
        target = String(decoding: words[1], as: UTF8.self)
        fields = lines.compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
            return OriginField(
                String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
    }

    /// The target without its query.
    package var path: String {
        String(target.prefix { $0 != "?" })
    }

    /// Value of the query's parameter called `name`, nil if there is none.
    package func parameter(_ name: String) -> String? {
        guard let mark = target.firstIndex(of: "?") else { return nil }
        for pair in target[target.index(after: mark)...].split(separator: "&") where pair.hasPrefix(name + "=") {
            return String(pair.dropFirst(name.count + 1))
        }
        return nil
    }

    /// Whether the answer has no body because the head alone was asked for.
    package var wantsHeadOnly: Bool { method == "HEAD" }

    /// Whether the client wants the connection closed after the answer.
    var wantsClose: Bool { fields.value("Connection")?.lowercased() == "close" }

    /// What the `Range` field asks of a file of `size` bytes.
    func range(of size: Int64) -> OriginRangeRequest {
        guard let text = fields.value("Range") else { return .none }
        return OriginRangeRequest(text, size: size)
    }
}
