import Haul
import Testing

@testable import HaulCLI

@Suite struct JSONTests {
    @Test(arguments: [
        ("", #""""#), ("a\"b\\c/", #""a\"b\\c/""#), ("\n\r\t", #""\n\r\t""#), ("\u{0}\u{1F}", #""\u0000\u001f""#),
        ("\u{7F}\u{9B}", #""\u007f\u009b""#), ("\u{2028}\u{2029}", #""\u2028\u2029""#), ("größe 🙂", #""größe 🙂""#),
        ("\r\n", #""\r\n""#),
    ])
    func quotes(_ text: String, _ json: String) { #expect(JSONObject.quoted(text) == json) }

    @Test func repairsInvalidSequences() {
        #expect(JSONObject.quoted(bytes: [0x61, 0xFF, 0x62]) == "\"a\u{FFFD}b\"")
        #expect(JSONObject.quoted(bytes: [0xED, 0xA0, 0x80]).contains("\u{FFFD}"))
        #expect(JSONObject.quoted(bytes: [0xC3]) == "\"\u{FFFD}\"")
    }

    @Test func objectsKeepTheirOrder() {
        var object = JSONObject()
        #expect(object.text == "{}")
        object.add("b", 1)
        object.add("a", true)
        object.add("s", ["x", "\""])
        object.add("t", .milliseconds(1500))
        #expect(object.text == #"{"b":1,"a":true,"s":["x","\""],"t":1.500}"#)
    }

    @Test func addressesShowNoPassword() {
        let plain = JSONEvent(url: "http://bob:pass%40@h:80/x?to=a@b").plan("")
        #expect(plain.contains(#""url":"http://h:80/x?to=a@b""#), "\(plain)")
        #expect(JSONEvent(url: "http://h?to=http://a@b").plan("").contains(#""url":"http://h?to=http://a@b""#))
    }

    @Test func whatIsAboutNoDownloadHasNoAddress() {
        let event = JSONEvent(url: nil)
        #expect(event.notice("n") == #"{"event":"notice","message":"n"}"#)
        #expect(
            event.error(DownloadError(.invalidRequest, "list:3: no"), exit: .usage)
                == #"{"event":"error","code":"invalidRequest","message":"list:3: no","exit":2}"#)
    }

    @Test func events() {
        var event = JSONEvent(url: "http://h/x?y")
        #expect(event.plan("8 connections") == #"{"event":"plan","url":"http://h/x?y","message":"8 connections"}"#)
        event.output = "d/x"
        let head = #"","url":"http://h/x?y","output":"d/x""#
        #expect(event.start(total: nil, resumed: 3) == #"{"event":"start"# + head + #","resumed":3}"#)
        var progress = DownloadProgress()
        progress.received = 5
        progress.total = 10
        progress.bytesPerSecond = 2.6
        progress.connections = 2
        #expect(
            event.progress(progress)
                == #"{"event":"progress"# + head + #","received":5,"total":10,"rate":3,"connections":2}"#)
        progress.total = nil
        progress.bytesPerSecond = .infinity
        #expect(
            event.progress(progress) == #"{"event":"progress"# + head + #","received":5,"rate":0,"connections":2}"#)
        #expect(
            event.retry(reason: "503", wait: .seconds(3))
                == #"{"event":"retry"# + head + #","reason":"503","wait":3.000}"#)
        #expect(event.restart(reason: "changed") == #"{"event":"restart"# + head + #","reason":"changed"}"#)
        #expect(event.notice("n") == #"{"event":"notice"# + head + #","message":"n"}"#)
        #expect(event.verified(["sha-256"]) == #"{"event":"verified"# + head + #","verified":["sha-256"]}"#)
        #expect(
            event.error(DownloadError(.refused(status: 404), "no"), exit: .refused)
                == #"{"event":"error"# + head + #","code":"refused","status":404,"message":"no","exit":4}"#)
        var receipt = DownloadReceipt(path: "d/x", bytes: 10)
        receipt.verified = ["crc32c"]
        #expect(
            event.done(receipt)
                == #"{"event":"done"# + head
                + #","path":"d/x","bytes":10,"resumed":0,"received":0,"seconds":0.000,"connections":0,"#
                + #""requests":0,"complete":false,"verified":["crc32c"]}"#)
    }

    /// Programs rely on what is written down: nothing else is said, and nothing of it is missing.
    @Test func everyMemberIsDocumented() throws {
        var event = JSONEvent(url: "http://h/x")
        event.output = "x"
        var progress = DownloadProgress()
        progress.total = 1
        var receipt = DownloadReceipt(path: "x", bytes: 1)
        receipt.speedUp = 2
        var error = DownloadError(.refused(status: 404), "no")
        error.cause = "cause"
        let lines = [
            event.start(total: 1, resumed: 0), event.plan("p"), event.progress(progress),
            event.retry(reason: "r", wait: .zero), event.restart(reason: "r"), event.notice("n"),
            event.verified(["v"]), event.done(receipt, isDuplicate: true), event.error(error, exit: .refused),
        ]
        #expect(lines.count == EventTable.rows.count)
        let readme = try GoldenFile.read("../../../README.md")
        for (line, row) in zip(lines, EventTable.rows) {
            let members = EventTable.common.map(\.name) + row.members.map(\.name)
            #expect(line.contains("\"event\":\"\(row.name)\""))
            #expect(Self.members(of: line) == members)
            let entry = readme.split(separator: "\n").first { $0.hasPrefix("| `\(row.name)` |") } ?? ""
            for member in row.members { #expect(entry.contains("`\(member.name)`"), "\(row.name)") }
        }
    }

    /// Names of an object's members, in order.
    private static func members(of object: String) -> [String] {
        let words = object.split(separator: "\"", omittingEmptySubsequences: false)
        return words.indices.dropLast().filter { words[$0 + 1].hasPrefix(":") }.map { String(words[$0]) }
    }
}
