import HaulCore
import HaulTestSupport
import Testing

/// The decoder behind the in-memory transport, fed in every possible way.
@Suite struct OriginDecoderTests {
    private static func decode(_ text: String, piece: Int) -> String {
        let bytes = Array(text.utf8)
        var decoder = HTTPResponseDecoder()
        var result = ""
        var start = 0
        while start < bytes.count {
            let part = Array(bytes[start..<min(start + piece, bytes.count)])
            start += part.count
            var index = 0
            reading: while true {
                switch part.withUnsafeBytes({ decoder.next($0, &index) }) {
                case .needsMore: break reading
                case .head(let head):
                    result += "[\(head.status) \(head.fields.lines.map(\.value).joined(separator: ","))]"
                case .body(let range): result += String(decoding: part[range], as: UTF8.self)
                case .complete: return result + (decoder.allowsReuse ? " complete" : " complete, closes")
                case .failed(let error): return "\(error)".prefix { $0 != "(" } + ""
                }
            }
        }
        return decoder.errorAtEnd.map { "\($0)".prefix { $0 != "(" } + "" } ?? result + " ended"
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "[200 3]abc complete"),
        ("HTTP/1.1 200 OK\nContent-Length:3\n\nabc", "[200 3]abc complete"),
        ("HTTP/1.1 204 No\r\n\r\n", "[204 ] complete"),
        (
            "HTTP/1.1 100 C\r\n\r\nHTTP/1.1 103 E\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            "[200 0] complete"
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\nT: r\r\n\r\n",
            "[200 chunked]abc complete"
        ),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "malformedResponse"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", "malformedResponse"),
        ("HTTP/1.1 200 OK\r\n\r\nabc", "[200 ]abc ended"),
        ("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", "[200 1]a complete, closes"),
        ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na", "[200 close,1]a complete, closes"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", "brokenInBody"),
        ("HTTP/1.1 200 OK\r\nContent-Le", "brokenBeforeHead"),
        ("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc", "malformedResponse"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nabc", "[200 99999999999999999999]abc ended"),
        ("HTTP/1.1 101 S\r\n\r\nabc", "malformedResponse"), ("<html>", "malformedResponse"),
        ("HTTP/2 200\r\n\r\n", "malformedResponse"), ("HTTP/1.1 OK\r\n\r\n", "malformedResponse"),
    ]) func `reads responses however they are cut`(text: String, result: String) {
        for piece in 1...text.utf8.count { #expect(Self.decode(text, piece: piece) == result, "pieces of \(piece)") }
    }
}
