package import HaulCore

/// Puts the final head together from the lines that libcurl hands out, interim heads and trailers among them.
package struct HeadCollector {
    /// Most bytes of all heads of a response and its trailers; libcurl 8 has the same limit.
    static let sizeLimit = 300 * 1024
    /// Most interim (1xx) heads before the final one.
    static let interimLimit = 32

    /// Whether the final head has come to its end.
    package private(set) var isComplete = false
    private var expectsStatusLine = true
    private var status = 0
    private var bytes: [UInt8] = []
    private var lineEnds: [Int] = []
    private var size = 0
    private var interimHeads = 0

    /// Whether libcurl may answer a 401 by itself: another head follows then.
    private let mayAnswerChallenge: Bool

    /// Begins before the first line.
    ///
    /// - Parameter mayAnswerChallenge: whether a head of status 401 may be followed by the answer to a second request.
    package init(mayAnswerChallenge: Bool = false) { self.mayAnswerChallenge = mayAnswerChallenge }

    /// Takes one line with its end of line; after the final head everything is a trailer and ignored.
    ///
    /// - Parameter line: what the header callback got.
    /// - Throws: `.headTooLarge` past one of the limits, `.malformedResponse` for what is no status line and for 101,
    ///   which nobody asked for.
    package mutating func take(_ line: RawSpan) throws(TransportError) {
        size += line.byteCount
        guard size <= Self.sizeLimit else { throw .headTooLarge }
        if isComplete {
            // A trailer begins otherwise.
            let beginsHead = unsafe line.withUnsafeBytes { unsafe $0.starts(with: "HTTP/".utf8) }
            guard mayAnswerChallenge, status == 401, beginsHead else { return }
            isComplete = false
            forget()
        }
        let start = bytes.count
        unsafe line.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        while bytes.count > start, let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
        let isEmpty = bytes.count == start
        if expectsStatusLine {
            guard let status = Self.status(in: bytes[start...]) else {
                throw .malformedResponse(detail: "no HTTP status line")
            }
            self.status = status
            expectsStatusLine = false
            bytes.removeLast(bytes.count - start)
        } else if isEmpty {
            try end()
        } else {
            lineEnds.append(bytes.count)
        }
    }

    /// The final head.
    ///
    /// Duplicates and order are kept, folded lines (RFC 9112 §5.2) are joined with a space, and what is
    /// not UTF-8 is taken for Latin-1.
    package var head: ResponseHead {
        var fields: [HTTPField] = []
        fields.reserveCapacity(lineEnds.count)
        // The strict way is slow, and nearly all heads are ASCII.
        let isASCII = !bytes.contains { $0 >= 0x80 }
        var start = 0
        for end in lineEnds {
            let line = start..<end
            start = end
            if !line.isEmpty, Self.isBlank(bytes[line.lowerBound]), let last = fields.indices.last {
                let more = text(line, isASCII)
                fields[last].value += (fields[last].value.isEmpty || more.isEmpty ? "" : " ") + more
            } else if let colon = colon(in: line), colon > line.lowerBound {
                fields.append(
                    HTTPField(text(line.lowerBound..<colon, isASCII), text(colon + 1..<line.upperBound, isASCII)))
            }
        }
        return ResponseHead(status: status, fields: HTTPFields(fields))
    }

    private func colon(in line: Range<Int>) -> Int? {
        for index in line where bytes[index] == UInt8(ascii: ":") { return index }
        return nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// The text of a range without blanks around it.
    private func text(_ range: Range<Int>, _ isASCII: Bool) -> String {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high, Self.isBlank(bytes[low]) { low += 1 }
        while low < high, Self.isBlank(bytes[high - 1]) { high -= 1 }
        let bytes = bytes[low..<high]
        if isASCII { return String(decoding: bytes, as: UTF8.self) }
        return String(validating: bytes, as: UTF8.self) ?? String(decoding: bytes.map(UInt16.init), as: UTF16.self)
    }

    private mutating func end() throws(TransportError) {
        guard status != 101 else {
            throw .malformedResponse(detail: "101 without having been asked to switch protocols")
        }
        guard status < 200 else { return isComplete = true }
        interimHeads += 1
        guard interimHeads <= Self.interimLimit else { throw .headTooLarge }
        forget()
    }

    /// Goes on with the next head.
    private mutating func forget() {
        expectsStatusLine = true
        bytes.removeAll(keepingCapacity: true)
        lineEnds.removeAll(keepingCapacity: true)
    }

    /// The three digits behind the version; at least 100.
    private static func status(in line: ArraySlice<UInt8>) -> Int? {
        guard line.starts(with: "HTTP/".utf8), let space = line.firstIndex(of: 0x20) else { return nil }
        let digits = line[(space + 1)...].prefix { $0 != 0x20 }
        guard digits.count == 3, digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
        let status = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return status >= 100 ? status : nil
    }
}
