/// Makes files of the elements of a metalink, version 4 (RFC 5854) or 3.
///
/// Takes what an XML parser finds, in order. Files are handed out as they end, so that a document of any length takes no
/// more memory than one file's part of it.
package struct MetalinkReader: Sendable {
    /// Deepest nesting of elements: a metalink's own is 6.
    private static let deepest = 32
    /// Longest text of an element in bytes; addresses are the longest.
    private static let longestText = 16 << 10
    /// Most addresses of a file that are kept.
    private static let mostAddresses = 256

    /// Elements that are open, the innermost last.
    private var path: [Element] = []
    private var file: Draft?
    private var findings: [MetalinkFinding] = []

    /// An element that is open.
    private struct Element: Sendable {
        let name: String
        let attributes: [String: String]
        let line: Int
        var text: [UInt8] = []
        var isTooLong = false
    }

    /// Makes a reader that has seen nothing.
    package init() {}

    /// An element begins.
    ///
    /// - Parameters:
    ///   - name: its name without a prefix.
    ///   - attributes: its attributes without prefixes; of two with one name the last counts.
    ///   - line: where it is.
    /// - Throws: that the document is something else.
    package mutating func begin(_ name: String, _ attributes: [String: String], line: Int) throws(MetalinkProblem) {
        if path.isEmpty, name != "metalink" {
            throw MetalinkProblem(line: line, reason: "this is no metalink: it begins with <\(name.prefix(40))>")
        }
        guard path.count < Self.deepest else {
            throw MetalinkProblem(line: line, reason: "elements are nested too deeply for a metalink")
        }
        path.append(Element(name: name, attributes: attributes, line: line))
        if name == "file", file == nil { file = Draft(name: attributes["name"] ?? "", line: line) }
        if name == "pieces" { file?.beginPieces(attributes, line: line) }
    }

    /// Text of the innermost element, perhaps a part of it.
    package mutating func text(_ bytes: some Sequence<UInt8>) {
        guard file != nil, var element = path.popLast() else { return }
        if Self.bearsText(element.name), !element.isTooLong {
            element.text += bytes
            if element.text.count > Self.longestText {
                element.text = []
                element.isTooLong = true
            }
        }
        path.append(element)
    }

    /// The innermost element ends.
    package mutating func end() {
        guard let element = path.popLast() else { return }
        if element.name == "file", !path.contains(where: { $0.name == "file" }), let ended = file {
            findings += ended.findings()
            file = nil
        } else if file != nil {
            take(element)
        }
    }

    /// What was found since the last call.
    package mutating func takeFindings() -> [MetalinkFinding] {
        defer { findings = [] }
        return findings
    }

    private static func bearsText(_ name: String) -> Bool { ["url", "size", "hash"].contains(name) }

    private mutating func take(_ element: Element) {
        let parent = path.last?.name ?? ""
        guard Self.bearsText(element.name) || element.name == "pieces" else { return }
        if element.isTooLong {
            file?.refuse("the text of <\(element.name)> is too long", line: element.line)
            return
        }
        let text = Self.trimmed(String(decoding: element.text, as: UTF8.self))
        switch (parent, element.name) {
        case ("file", "size"): file?.takeSize(text, line: element.line)
        case ("file", "hash"), ("verification", "hash"):
            file?.takeHash(element.attributes["type"] ?? "", text, line: element.line)
        case ("pieces", "hash"): file?.takePiece(text, number: element.attributes["piece"], line: element.line)
        case (_, "pieces"): file?.endPieces()
        case ("file", "url"), ("resources", "url"):
            file?.takeAddress(text, element.attributes, atMost: Self.mostAddresses, line: element.line)
        default: break
        }
    }

    /// Without the white space that XML allows around a value.
    private static func trimmed(_ text: String) -> String {
        var scalars = text.unicodeScalars[...]
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(scalars)
    }
}
