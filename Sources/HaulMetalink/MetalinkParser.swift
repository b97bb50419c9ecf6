import CXML
package import HaulCore

/// Reads a metalink piece by piece: the push parser of libxml2 finds elements, `MetalinkReader` makes files of them.
///
/// Nothing is loaded from anywhere, and no entity is expanded but the five that XML itself knows: a document that
/// declares others is refused. What libxml2 keeps at once is bounded by its own limits of 10 MB a tag or text.
@safe package struct MetalinkParser: ~Copyable {
    /// What the callbacks share; libxml2 holds an unretained pointer to it.
    private let events = XMLEvents()
    private let context: xmlParserCtxtPtr

    private static let library: Void = xmlInitParser()

    /// Makes a parser that has seen nothing: xmlCreatePushParserCtxt(3).
    ///
    /// - Throws: that memory is short.
    package init() throws(MetalinkProblem) {
        _ = Self.library
        var handler = unsafe XMLEvents.handler
        let user = unsafe Unmanaged.passUnretained(events).toOpaque()
        guard let made = unsafe xmlCreatePushParserCtxt(&handler, user, nil, 0, nil) else {
            throw MetalinkProblem(line: 0, reason: "no memory for a parser")
        }
        unsafe context = made
        unsafe events.context = made
        _ = unsafe xmlCtxtUseOptions(made, Int32(XML_PARSE_NONET.rawValue))
    }

    deinit { unsafe xmlFreeParserCtxt(context) }

    /// Why the rest can't be read; nil as long as it can.
    package var problem: MetalinkProblem? { events.problem }

    /// Takes the next bytes: xmlParseChunk(3).
    ///
    /// - Parameter bytes: what follows, in any encoding that the document names.
    /// - Returns: what was found in them, before `problem` if there is one.
    package mutating func take(_ bytes: RawSpan) -> [MetalinkFinding] { parse(bytes, isEnd: false) }

    /// The document ends, which is a problem if it is too early.
    ///
    /// - Returns: what was found at its end.
    package mutating func finish() -> [MetalinkFinding] { parse(RawSpan(), isEnd: true) }

    private func parse(_ bytes: RawSpan, isEnd: Bool) -> [MetalinkFinding] {
        guard events.problem == nil else { return [] }
        events.isAtEnd = isEnd
        let status = unsafe bytes.withUnsafeBytes { buffer in
            unsafe xmlParseChunk(
                context, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count), isEnd ? 1 : 0)
        }
        if status != 0, unsafe context.pointee.wellFormed == 0 { events.endUnread() }
        return events.takeFindings()
    }
}
