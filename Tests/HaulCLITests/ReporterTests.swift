import Haul
import Testing

@testable import HaulCLI

@Suite struct ReporterTests {
    private static let request = DownloadRequest("http://h/x?secret", to: "d/x")

    /// Lets a reporter tell, and returns what was written to standard output and standard error.
    private func written(
        json: Bool, _ verbosity: Arguments.Verbosity = .normal, many: Bool = false, _ tell: (Reporter) -> Void
    ) throws -> (output: [String], error: [String]) {
        let output = try #require(Platform.pipe())
        let error = try #require(Platform.pipe())
        let terminal = Terminal(.plain, isTerminal: false) { _ in nil }
        let console = try #require(Console(terminal, output: output.writing, error: error.writing))
        let reporting = FetchJob.Reporting(verbosity: verbosity, json: json, progress: .plain)
        let board = Board(console: console, reporting, isLive: false, isBatch: many, files: nil)
        tell(Reporter(Self.request, reporting, on: console, board: board, index: 0, isOneOfMany: many))
        console.finish(.done)
        #expect(console.run() == 0)
        return (lines(output.reading), lines(error.reading))
    }

    private func lines(_ descriptor: Int32) -> [String] {
        guard Platform.wait(for: descriptor, events: Platform.readable, milliseconds: 0) else { return [] }
        return String(decoding: Platform.read(descriptor), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func snapshot(_ received: Int64, restarts: Int = 0) -> DownloadProgress {
        var progress = DownloadProgress()
        progress.phase = .downloading
        progress.received = received
        progress.total = 100
        progress.restarts = restarts
        return progress
    }

    private func received(_ lines: [String]) -> [String] {
        lines.compactMap { line in
            if line.contains(#""event":"restart""#) { return "restart" }
            guard let name = line.firstRange(of: #""received":"#) else { return nil }
            return String(line[name.upperBound...].prefix { $0.isNumber })
        }
    }

    @Test func receivedNeverRunsBackwardsWithoutARestart() throws {
        let lines = try written(json: true) { reporter in
            reporter.progress(snapshot(5))
            reporter.event(.started(path: "d/x", total: 100, resumed: 0))
            reporter.progress(snapshot(50))
            // Keeps the next snapshot from taking the place of the last.
            reporter.event(.notice("a"))
            reporter.progress(snapshot(40))
            // The snapshot overtakes the event, and an old one comes late.
            reporter.progress(snapshot(3, restarts: 1))
            reporter.event(.restarted(reason: "changed"))
            reporter.progress(snapshot(60))
            reporter.progress(snapshot(7, restarts: 1))
        }.output
        #expect(received(lines) == ["50", "restart", "7"])
        #expect(lines.first?.contains(#""event":"start""#) == true)
    }

    @Test func whateverIsSaidBeforeTheStartNamesTheFile() throws {
        let lines = try written(json: true) { reporter in
            reporter.event(.located(path: "d/real"))
            reporter.event(.notice("a"))
            reporter.event(.restarted(reason: "b"))
            reporter.failed(DownloadError(.fileSystem, "c"), .fileSystem)
        }.output
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.contains(#""output":"d/real""#) }, "\(lines)")
    }

    @Test func waitingSnapshotsGiveWayToNewerOnes() throws {
        let lines = try written(json: true) { reporter in
            reporter.event(.started(path: "d/x", total: 100, resumed: 0))
            for count in 0..<50 { reporter.progress(snapshot(Int64(count))) }
        }.output
        #expect(received(lines) == ["49"])
    }

    @Test func wordsGoToStandardError() throws {
        var receipt = DownloadReceipt(path: "d/x", bytes: 100)
        receipt.wasComplete = true
        let normal = try written(json: false) { reporter in
            reporter.event(.started(path: "d/x", total: 100, resumed: 10))
            reporter.event(.planned("8 connections"))
            reporter.event(.retrying(reason: "503", wait: .seconds(1)))
            reporter.event(.restarted(reason: "changed\u{7}"))
            reporter.event(.notice("careful"))
            reporter.done(receipt)
        }
        #expect(normal.output.isEmpty)
        #expect(
            normal.error == [
                "starting over: changed\\x07", "careful", "d/x: already complete, 100 B; not verified",
            ])
        let verbose = try written(json: false, .verbose) { reporter in
            reporter.event(.started(path: "d/x", total: nil, resumed: 10))
            reporter.event(.planned("one stream: the size is unknown"))
            reporter.event(.retrying(reason: "503", wait: .seconds(1)))
            reporter.event(.retrying(reason: "416", wait: .zero))
        }
        #expect(
            verbose.error == [
                "d/x: size unknown, 10 B on hand", "one stream: the size is unknown", "waiting 1 s: 503",
                "trying again at once: 416",
            ])
    }

    @Test func quietIsQuietButForErrors() throws {
        let quiet = try written(json: false, .quiet, many: true) { reporter in
            reporter.event(.notice("careful"))
            reporter.done(DownloadReceipt(path: "d/x", bytes: 1))
            reporter.failed(DownloadError(.refused(status: 404), "no"), .refused)
        }
        #expect(quiet.output.isEmpty)
        // Its address has a query, which is not shown, and may be all that tells it from others.
        #expect(quiet.error == ["haul: d/x: http://h/x: no"])
    }

    @Test func failuresAreEventsToo() throws {
        let (output, error) = try written(json: true) { reporter in
            _ = reporter.interrupted(DownloadError(.cancelled, "cancelled"), .interrupted(signal: 2), path: nil) { _ in
                0
            }
        }
        #expect(
            output == [
                #"{"event":"error","url":"http://h/x?secret","output":"d/x","code":"cancelled","#
                    + #""message":"cancelled","exit":130}"#
            ])
        // People are told once for all files.
        #expect(error.isEmpty)
    }
}
