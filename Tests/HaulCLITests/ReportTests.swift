import Haul
import Testing

@testable import HaulCLI

@Suite struct ReportTests {
    @Test func lastLine() {
        var receipt = DownloadReceipt(path: "d/big\u{1B}.iso", bytes: 96 << 20)
        receipt.received = 96 << 20
        receipt.duration = .milliseconds(610)
        receipt.connections = 8
        receipt.verified = ["crc32c of every range", "sha-256"]
        #expect(
            Report.line(receipt)
                == "d/big\\x1b.iso: 96.0 MiB in 0.61 s (157 MiB/s), 8 connections; "
                + "verified: crc32c of every range, sha-256")
        receipt.requests = 9
        #expect(
            Report.line(receipt, withRequests: true)
                == "d/big\\x1b.iso: 96.0 MiB in 0.61 s (157 MiB/s), 8 connections, 9 requests, "
                + "received 1.000 × what was missing; verified: crc32c of every range, sha-256")
        receipt.speedUp = 3.94
        #expect(Report.line(receipt).contains(" s (157 MiB/s), 8 connections, 3.9 × as fast as one; verified"))
        receipt.speedUp = nil
        receipt.path = "./f"
        receipt.resumed = 30 << 20
        receipt.received = 66 << 20
        receipt.connections = 1
        receipt.verified = []
        #expect(
            Report.line(receipt)
                == "f: 96.0 MiB in 0.61 s (108 MiB/s), 1 connection, 30.0 MiB resumed; not verified")
        receipt.wasComplete = true
        receipt.verified = ["same validator"]
        #expect(Report.line(receipt) == "f: already complete, 96.0 MiB; verified: same validator")
    }

    @Test func failures() {
        let error = DownloadError(.refused(status: 404), "the server says 404\n: check the URL", cause: "HTTP 404")
        #expect(Report.line(error, url: nil) == "the server says 404\\n: check the URL")
        #expect(Report.line(error, url: nil, withCause: true).hasSuffix(": check the URL (HTTP 404)"))
        let telling = DownloadError(.unreachable, "the connection broke: run it again", cause: "the connection broke")
        #expect(Report.line(telling, url: nil, withCause: true) == telling.message)
        #expect(
            Report.line(DownloadError(.other, "no"), url: "http://h/x") == "http://h/x: no")
    }

    @Test func summaries() {
        var tally = BatchTally()
        var receipt = DownloadReceipt(path: "f", bytes: 3 << 20)
        receipt.received = 3 << 20
        tally.finish(receipt, isDuplicate: false)
        #expect(Report.summary(tally, of: 1, in: .seconds(2)) == "1 of 1 files done; 3.00 MiB in 2.00 s")
        tally.finish(receipt, isDuplicate: true)
        receipt.wasComplete = true
        receipt.received = 0
        tally.finish(receipt, isDuplicate: false)
        tally.fail(.refused)
        tally.fail(.network)
        tally.interrupt(.interrupted(signal: 2), kept: 5, received: 1 << 20)
        #expect(tally.status == .refused && tally.kept == 5)
        #expect(
            Report.summary(tally, of: 9, in: .seconds(2))
                == "3 of 9 files done, 1 of them before, 1 asked for twice, 2 failed, 1 interrupted, 3 not started; "
                + "4.00 MiB in 2.00 s")
        #expect(Report.summary(tally, of: nil, in: .seconds(2)).hasPrefix("3 of 6 files done, "))
    }

    @Test(arguments: [
        (Int64(0), Int64(0), ": the same command goes on from there"),
        (0, 1 << 20, ": the same command begins anew"),
        (1 << 20, 1 << 20, ", 1.00 MiB kept: the same command goes on from there"),
    ])
    func interruptionsSayWhatIsLeft(kept: Int64, received: Int64, words: String) {
        var tally = BatchTally()
        tally.interrupt(.interrupted(signal: 2), kept: kept, received: received)
        #expect(Report.rest(of: tally) == words)
        tally.interrupt(.interrupted(signal: 2), kept: 0)
        #expect(kept > 0 || Report.rest(of: tally) == ": the same command goes on from there")
    }

    @Test(arguments: [
        ("https://me:pw@h:1/p@q?token=1#f", "https://h:1/p@q"), ("http://h", "http://h"), ("x?y", "x"), ("", ""),
        ("http://h/\u{1B}", "http://h/\\x1b"), ("http://a@b@h/", "http://h/"),
    ])
    func redacts(_ url: String, _ shown: String) { #expect(Report.redacted(url) == shown) }

    @Test(
        arguments: [
            (.invalidRequest, 2), (.unreachable, 3), (.tls, 3), (.refused(status: 403), 4), (.integrity, 5),
            (.fileSystem, 6), (.diskFull, 6), (.resourceChanged, 7), (.partialInUse, 8), (.outputExists, 9),
            (.other, 1),
            (.cancelled, 1),
        ] as [(DownloadError.Code, Int32)])
    func exitStatus(_ code: DownloadError.Code, _ number: Int32) {
        #expect(ExitStatus(code).code == number)
        #expect(ExitStatus.interrupted(signal: 15).code == 143)
    }
}
