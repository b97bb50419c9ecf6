import CXML
import HaulCore

/// Takes libxml2's callbacks of one document (SAX2).
@safe final class XMLEvents {
    /// The parser that calls.
    var context: xmlParserCtxtPtr?
    /// Why reading ended; nil as long as it goes on.
    private(set) var problem: MetalinkProblem?
    /// Whether nothing more comes.
    var isAtEnd = false
    private var reader = MetalinkReader()

    /// The line that is being read, from 1.
    var line: Int { unsafe Int(context?.pointee.input?.pointee.line ?? 0) }

    /// What was found since the last call.
    func takeFindings() -> [MetalinkFinding] { reader.takeFindings() }

    /// Takes note that the document is no XML, if no callback has said why.
    func endUnread() { stop(MetalinkProblem(line: line, reason: "this is no XML, and so no metalink: check the file")) }

    /// Ends the reading: xmlStopParser(3).
    private func stop(_ reason: MetalinkProblem) {
        problem = problem ?? reason
        unsafe xmlStopParser(context)
    }

    private func begin(_ name: String, _ attributes: [String: String]) {
        guard problem == nil else { return }
        do throws(MetalinkProblem) { try reader.begin(name, attributes, line: line) } catch { stop(error) }
    }

    private func fail(_ code: UInt32, _ message: String, line: Int) {
        let text = message.prefix { $0 != "\n" }
        let reason =
            switch code {
            // libxml2's words for these two say something else.
            case XML_ERR_DOCUMENT_EMPTY.rawValue: "this is no XML, and so no metalink: check the file"
            case XML_ERR_DOCUMENT_END.rawValue where isAtEnd: "this is no whole XML: it ends too early"
            default: "this is no XML: \(text)"
            }
        stop(MetalinkProblem(line: line, reason: reason))
    }

    private static func of(_ user: UnsafeMutableRawPointer?) -> XMLEvents? {
        unsafe user.map { unsafe Unmanaged<XMLEvents>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func text(_ start: UnsafePointer<xmlChar>?) -> String {
        unsafe start.map { unsafe String(cString: $0) } ?? ""
    }

    /// What an attribute says: libxml2 leaves `&`, and nothing else, as a reference where it replaces no entities.
    private static func value(_ raw: String) -> String {
        guard raw.utf8.contains(UInt8(ascii: "&")) else { return raw }
        var rest = raw[...]
        var value = ""
        while let mark = rest.firstRange(of: "&#38;") {
            value += rest[..<mark.lowerBound] + "&"
            rest = rest[mark.upperBound...]
        }
        return value + rest
    }

    /// The callbacks, which are all that libxml2 does with a document.
    static var handler: xmlSAXHandler {
        var handler = unsafe xmlSAXHandler()
        unsafe handler.initialized = haul_xml_sax2_magic()
        unsafe handler.startElementNs = { user, name, _, _, _, _, count, _, attributes in
            var values: [String: String] = [:]
            for index in 0..<Int(count) {
                // Five pointers each: name, prefix, namespace, and where the value begins and ends.
                guard let attributes = unsafe attributes, let start = unsafe attributes[index * 5 + 3],
                    let end = unsafe attributes[index * 5 + 4]
                else { continue }
                let bytes = unsafe UnsafeBufferPointer(start: start, count: end - start)
                values[unsafe XMLEvents.text(attributes[index * 5])] =
                    unsafe XMLEvents.value(String(decoding: bytes, as: UTF8.self))
            }
            unsafe XMLEvents.of(user)?.begin(XMLEvents.text(name), values)
        }
        unsafe handler.endElementNs = { user, _, _, _ in unsafe XMLEvents.of(user)?.reader.end() }
        unsafe handler.characters = { user, start, length in
            unsafe XMLEvents.of(user)?.reader.text(UnsafeBufferPointer(start: start, count: Int(length)))
        }
        unsafe handler.cdataBlock = handler.characters
        unsafe handler.entityDecl = { user, _, _, _, _, _ in
            guard let events = unsafe XMLEvents.of(user) else { return }
            events.stop(MetalinkProblem(line: events.line, reason: "a metalink declares no entities"))
        }
        unsafe handler.serror = { user, error in
            guard let events = unsafe XMLEvents.of(user), let error = unsafe error?.pointee,
                unsafe error.level == XML_ERR_FATAL
            else { return }
            let message = unsafe error.message.map { unsafe String(cString: $0) } ?? "malformed"
            unsafe events.fail(UInt32(bitPattern: error.code), message, line: Int(error.line))
        }
        return unsafe handler
    }
}
