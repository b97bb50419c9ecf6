import Glibc
import Haul
import HaulOrigin
import HaulTestSupport
import Testing

/// The table of conducts in the documentation says what the tests check.
///
/// `HAUL_UPDATE_GOLDEN=1 swift test --filter ConformanceTableTests` writes it anew.
@Suite struct ConformanceTableTests {
    private static let page = "Sources/Haul/Documentation.docc/Conformance.md"
    private static let marks = ("<!-- The table begins. -->\n", "<!-- The table ends. -->\n")

    private var path: String {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        return root.joined(separator: "/") + "/" + Self.page
    }

    @Test func thePageSaysWhatTheTestsCheck() throws {
        let text = String(decoding: try FileContents.read(path), as: UTF8.self)
        let start = try #require(text.firstRange(of: Self.marks.0)).upperBound
        let end = try #require(text.firstRange(of: Self.marks.1)).lowerBound
        if getenv("HAUL_UPDATE_GOLDEN") != nil {
            let updated = text[..<start] + table + text[end...]
            try FileContents.write(Array(updated.utf8), to: path)
        } else {
            #expect(text[start..<end] == table)
        }
    }

    /// A line for each conduct, in the order of the enum, and the reasons of exceptions below.
    private var table: String {
        var lines = ["| What the server does | must end in | in memory | libcurl | URLSession |"]
        lines.append("| --- | --- | --- | --- | --- |")
        var reasons: [String] = []
        for behavior in OriginBehavior.allCases {
            let expected = words(EngineConformanceTests().expectation(of: behavior))
            var session = "✓"
            if let exception = SessionExceptions.exception(to: behavior) {
                if !reasons.contains(exception.reason) { reasons.append(exception.reason) }
                let number = reasons.firstIndex(of: exception.reason).map { $0 + 1 } ?? 0
                session = "\(words(exception.expectation)) (\(number))"
            }
            lines.append("| `\(name(behavior))` | \(expected) | ✓ | ✓ | \(session) |")
        }
        let notes = reasons.enumerated().map { "\($0 + 1). \($1)" }
        return (lines + (notes.isEmpty ? [] : ["", "Exceptions:", ""] + notes)).joined(separator: "\n") + "\n"
    }

    /// The conduct as in code, without module names and what is as usual.
    private func name(_ behavior: OriginBehavior) -> String {
        var text = String(describing: behavior)
        let plain = [
            ("HaulOrigin.", ""), ("OriginChange.Trigger.", "."), ("trigger: ", ""), (", heedsIfRange: true", ""),
            (", silently: false", ""), (", sizeDelta: 0", ""), (", alters: nil", ""), ("Optional(2)", "2"),
            ("OriginChange(", "("), ("\(Int.max)", ".max"), ("OriginRetryAfter.", "."), ("OriginUnsatisfied.", "."),
            ("OriginSpelling.", "."),
        ]
        for (long, short) in plain {
            while let range = text.firstRange(of: long) { text.replaceSubrange(range, with: short) }
        }
        return text
    }

    private func words(_ expectation: EngineConformanceTests.Expectation) -> String {
        switch expectation {
        case .file: "the file"
        case .changed: "the new file"
        case .eitherNode: "one of the two, or `resourceChanged`"
        case .empty: "the empty file"
        case .failure(let codes): codes.map { "`\($0)`" }.sorted().joined(separator: " or ")
        case .undetectable: "what was sent: no program can tell"
        }
    }
}
