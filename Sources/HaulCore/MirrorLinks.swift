/// What the `Link` fields of an answer say about other places of the file (RFC 6249, RFC 8288 §3).
package struct MirrorLinks: Hashable, Sendable {
    /// Addresses of copies, the server's favourite first; relative to the answer's own address.
    package private(set) var duplicates: [String] = []
    /// Addresses of metalinks that describe the file; relative to the answer's own address.
    package private(set) var descriptions: [String] = []

    /// Most links of either kind that are kept.
    private static let most = 64

    /// A copy, and how much the server likes it.
    private struct Duplicate {
        let target: String
        let priority: Int64
    }

    /// Makes links that lead nowhere.
    package init() {}

    /// Reads the fields of an answer.
    ///
    /// Parameters that say where a copy is (`geo`), or how it is kept (`pref`, `depth`), are ignored: samples and rate
    /// tell more.
    package init(_ fields: HTTPFields) {
        var copies: [Duplicate] = []
        for line in fields.all("Link") {
            Self.forEachLink(in: line) { target, parameters in
                let relations = (parameters["rel"] ?? "").lowercased().split(separator: " ")
                if relations.contains("duplicate"), copies.count < Self.most {
                    // The lowest comes first; without one, last (RFC 6249 §3.1).
                    let priority = parameters["pri"].flatMap { FieldText.number($0.utf8) } ?? 999_999
                    copies.append(Duplicate(target: target, priority: priority))
                }
                if relations.contains("describedby"), descriptions.count < Self.most,
                    let type = parameters["type"]?.lowercased(), type.hasPrefix("application/metalink")
                {
                    descriptions.append(target)
                }
            }
        }
        if copies.isEmpty { return }
        let ordered = copies.enumerated().sorted {
            ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset)
        }
        for copy in ordered where !duplicates.contains(copy.element.target) { duplicates.append(copy.element.target) }
    }

    /// Hands out the links of a field value; what can't be read ends it.
    private static func forEachLink(in line: String, _ body: (String, [String: String]) -> Void) {
        var rest = line.unicodeScalars[...]
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
            guard rest.first == "<", let close = rest.firstIndex(of: ">") else { return }
            let target = String(rest[rest.index(after: rest.startIndex)..<close])
            rest = rest[rest.index(after: close)...]
            var parameters: [String: String] = [:]
            while true {
                rest = rest.drop { $0 == " " || $0 == "\t" }
                guard rest.first == ";" else { break }
                rest = rest.dropFirst()
                let (name, value) = parameter(&rest)
                // Of two the first counts (RFC 8288 §3.3).
                if !name.isEmpty, parameters[name] == nil { parameters[name] = value }
            }
            body(FieldText.trimmed(target), parameters)
            guard rest.first == "," else { return }
        }
    }

    /// Reads `name=value`, `name="value"` or `name`.
    private static func parameter(_ rest: inout Substring.UnicodeScalarView) -> (name: String, value: String) {
        let end = rest.firstIndex { $0 == "=" || $0 == ";" || $0 == "," } ?? rest.endIndex
        let name = FieldText.trimmed(String(rest[..<end])).lowercased()
        rest = rest[end...]
        guard rest.first == "=" else { return (name, "") }
        rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
        guard rest.first == "\"" else {
            let end = rest.firstIndex { $0 == ";" || $0 == "," } ?? rest.endIndex
            defer { rest = rest[end...] }
            return (name, FieldText.trimmed(String(rest[..<end])))
        }
        rest = rest.dropFirst()
        return (name, FieldText.quoted(&rest))
    }
}
