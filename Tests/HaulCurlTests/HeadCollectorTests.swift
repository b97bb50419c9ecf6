import HaulCore
import HaulTestSupport
import Testing

@testable import HaulCurl

@Suite("Heads", .inTurn)
struct HeadCollectorTests {
    private func collect(_ lines: [[UInt8]]) throws -> ResponseHead {
        var collector = HeadCollector()
        for line in lines { try collector.take(line.span.bytes) }
        #expect(collector.isComplete)
        return collector.head
    }

    private func collect(_ lines: [String]) throws -> ResponseHead {
        try collect(lines.map { Array($0.utf8) + [0x0D, 0x0A] })
    }

    @Test func duplicatesKeepTheirOrder() throws {
        let head = try collect(["HTTP/1.1 200 OK", "B: 1", "a: 2", "B:3", "C:", ""])
        #expect(
            head.fields.lines == [HTTPField("B", "1"), HTTPField("a", "2"), HTTPField("B", "3"), HTTPField("C", "")])
        #expect(head.fields.all("b") == ["1", "3"])
    }

    @Test func foldedLinesAreJoined() throws {
        let head = try collect(["HTTP/1.1 200 OK", "X: one", "\t two  ", " three", "Y:", " four", ""])
        #expect(head.fields["X"] == "one two three")
        #expect(head.fields["Y"] == "four")
    }

    @Test func whatIsNotUTF8IsLatin1() throws {
        let head = try collect([
            Array("HTTP/1.1 200 OK\r\n".utf8), Array("A: ".utf8) + [0xFC, 0x0D, 0x0A], Array("B: ü\r\n".utf8),
            [0x0D, 0x0A],
        ])
        #expect(head.fields["A"] == "ü")
        #expect(head.fields["B"] == "ü")
    }

    @Test(arguments: [
        ("HTTP/1.1 206 Partial Content", 206), ("HTTP/2 200 ", 200), ("HTTP/1.0 404", 404), ("HTTP/1.1 999 Odd", 999),
    ])
    func status(line: String, status: Int) throws {
        #expect(try collect([line, ""]).status == status)
    }

    @Test(arguments: ["", "HTTP/1.1", "HTTP/1.1 20 OK", "HTTP/1.1 099 OK", "HTTP/1.1 20x OK", "ICY 200 OK"])
    func noStatus(line: String) {
        #expect(throws: TransportError.self) { try collect([line, ""]) }
    }

    @Test func interimHeadsAreForgotten() throws {
        let head = try collect(["HTTP/1.1 103 Early Hints", "Link: x", "", "HTTP/1.1 200 OK", "A: b", ""])
        #expect(head == ResponseHead(status: 200, fields: HTTPFields([HTTPField("A", "b")])))
    }

    @Test func trailersAreIgnored() throws {
        let head = try collect(["HTTP/1.1 200 OK", "A: b", "", "HTTP/1.1 404 Forged", "C: d", ""])
        #expect(head == ResponseHead(status: 200, fields: HTTPFields([HTTPField("A", "b")])))
    }

    @Test(arguments: [HeadCollector.interimLimit, HeadCollector.interimLimit + 1])
    func interimLimit(count: Int) throws {
        let interim = Array(repeating: ["HTTP/1.1 100 Continue", ""], count: count).flatMap(\.self)
        if count <= HeadCollector.interimLimit {
            #expect(try collect(interim + ["HTTP/1.1 200 OK", ""]).status == 200)
        } else {
            #expect(throws: TransportError.headTooLarge) { try collect(interim) }
        }
    }
}
