package import HaulCore

/// Reads one HTTP/1.1 response from the bytes of a connection, as libcurl does where the standard leaves a choice.
package struct HTTPResponseDecoder: Sendable {
    /// What the next bytes mean.
    package enum Event: Sendable {
        /// All bytes are read, and the response goes on.
        case needsMore
        /// The final head is complete.
        case head(ResponseHead)
        /// Bytes of the body, by their places in the input.
        case body(Range<Int>)
        /// The response is complete; bytes behind it belong to nobody.
        case complete
        /// This is no response.
        case failed(TransportError)
    }

    private enum State {
        case head
        case sized(Int64)
        case chunkSize
        case chunk(Int64)
        case chunkEnd
        case trailer
        case untilClose
        case complete
    }

    /// Whether the final head has come.
    package private(set) var hasHead = false
    /// Whether the connection can carry another request afterwards.
    package private(set) var allowsReuse = true

    private var state = State.head
    private var line: [UInt8] = []
    private var headBytes = 0
    private var status = 0
    private var fields = HTTPFields()

    /// Makes a decoder for the next response to a GET.
    package init() {}

    /// Whether the response needs no more bytes to be complete.
    package var isComplete: Bool {
        switch state {
        case .complete, .sized(0): true
        default: false
        }
    }

    /// What the connection's end means: nil if that was the body's proper end.
    package var errorAtEnd: TransportError? {
        switch state {
        case .complete, .untilClose: nil
        case .head: .brokenBeforeHead(detail: "closed without a complete head")
        default: .brokenInBody(detail: "closed before the body's end")
        }
    }

    /// Reads on.
    ///
    /// - Parameters:
    ///   - input: bytes of the connection.
    ///   - index: where to go on in them; moved behind what was read.
    /// - Returns: the next event.
    package mutating func next(_ input: UnsafeRawBufferPointer, _ index: inout Int) -> Event {
        while true {
            switch state {
            case .complete:
                return .complete
            case .untilClose:
                guard index < input.count else { return .needsMore }
                defer { index = input.count }
                return .body(index..<input.count)
            case .sized(let left):
                guard left > 0 else {
                    state = .complete
                    continue
                }
                guard let range = take(left, of: input, &index) else { return .needsMore }
                state = .sized(left - Int64(range.count))
                return .body(range)
            case .chunk(let left):
                guard let range = take(left, of: input, &index) else { return .needsMore }
                let rest = left - Int64(range.count)
                state = rest > 0 ? .chunk(rest) : .chunkEnd
                return .body(range)
            case .head, .chunkSize, .chunkEnd, .trailer:
                guard takeLine(input, &index) else {
                    return line.count > Self.lineLimit ? .failed(.headTooLarge) : earlyFailure() ?? .needsMore
                }
                let text = String(decoding: line, as: UTF8.self)
                line.removeAll(keepingCapacity: true)
                if let event = readLine(text) { return event }
            }
        }
    }

    private static let lineLimit = 102_400
    private static let headLimit = 307_200

    /// What can be said before a line is complete.
    private func earlyFailure() -> Event? {
        guard case .head = state, status == 0, line.count >= 5, !line.starts(with: "HTTP/".utf8) else { return nil }
        return .failed(.malformedResponse(detail: "not an HTTP response"))
    }

    private func take(_ left: Int64, of input: UnsafeRawBufferPointer, _ index: inout Int) -> Range<Int>? {
        guard index < input.count else { return nil }
        let start = index
        index += Int(min(left, Int64(input.count - start)))
        return start..<index
    }

    private mutating func takeLine(_ input: UnsafeRawBufferPointer, _ index: inout Int) -> Bool {
        while index < input.count {
            let byte = input[index]
            index += 1
            headBytes += 1
            if byte == UInt8(ascii: "\n") {
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                return true
            }
            line.append(byte)
            if line.count > Self.lineLimit { return false }
        }
        return false
    }

    private mutating func readLine(_ text: String) -> Event? {
        switch state {
        case .head:
            guard headBytes <= Self.headLimit else { return .failed(.headTooLarge) }
            if status == 0 { return readStatus(text) }
            if text.isEmpty { return endHead() }
            guard let colon = text.firstIndex(of: ":") else { return nil }
            let value = text[text.index(after: colon)...]
            fields.append(String(text[..<colon]), String(Self.trimmed(value)))
            return nil
        case .chunkSize:
            let digits = text.prefix { $0 != ";" && $0 != " " }
            guard let size = Int64(digits, radix: 16), size >= 0 else {
                return .failed(.malformedResponse(detail: "a chunk's size is no number"))
            }
            state = size > 0 ? .chunk(size) : .trailer
            return nil
        case .chunkEnd:
            guard text.isEmpty else { return .failed(.malformedResponse(detail: "a chunk is longer than its size")) }
            state = .chunkSize
            return nil
        default:
            if text.isEmpty { state = .complete }
            return nil
        }
    }

    private mutating func readStatus(_ text: String) -> Event? {
        let words = text.split(separator: " ")
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].count == 3, let code = Int(words[1]) else {
            return .failed(.malformedResponse(detail: "not an HTTP response"))
        }
        status = code
        if words[0] != "HTTP/1.1" { allowsReuse = false }
        return nil
    }

    private mutating func endHead() -> Event? {
        if status == 101 { return .failed(.malformedResponse(detail: "switches protocols without being asked")) }
        if (100..<200).contains(status) {
            (status, fields) = (0, HTTPFields())
            return nil
        }
        if fields["Connection"].map({ HTTPFields.equal($0, "close") }) ?? false { allowsReuse = false }
        if let failure = chooseFraming() { return failure }
        hasHead = true
        return .head(ResponseHead(status: status, fields: fields))
    }

    private mutating func chooseFraming() -> Event? {
        if status == 204 || status == 304 {
            state = .complete
        } else if let coding = fields.list("Transfer-Encoding").last, HTTPFields.equal(coding, "chunked") {
            state = .chunkSize
        } else if let text = fields.all("Content-Length").last {
            guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return .failed(.malformedResponse(detail: "Content-Length is no number"))
            }
            // More than fits counts as no length at all: so does libcurl.
            state = Int64(text).map { .sized($0) } ?? .untilClose
        } else {
            state = .untilClose
        }
        if case .untilClose = state { allowsReuse = false }
        return nil
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
