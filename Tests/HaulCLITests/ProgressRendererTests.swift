import Haul
import Testing

@testable import HaulCLI

@Suite struct ProgressRendererTests {
    private static let ascii = ProgressRenderer(unicode: false, color: false)

    private static var line: LiveLine {
        var line = LiveLine(name: "debian-12.11.0-amd64-netinst.iso")
        line.progress.phase = .downloading
        line.progress.received = 42_260_000
        line.progress.total = 96 << 20
        line.progress.finishedRanges = [0..<42_260_000]
        line.progress.bytesPerSecond = 183.4 * 1_048_576
        line.progress.timeLeft = .milliseconds(2700)
        line.progress.connections = 8
        return line
    }

    @Test(arguments: [
        (20, "debia~t.iso   41%"),
        (40, "debia~.iso   41%   183 MiB/s     0:03"),
        (80, "debia~t.iso  [===>....]   41%  40.3 MiB/96.0 MiB   183 MiB/s     0:03  8 conn"),
    ])
    func widths(_ width: Int, _ text: String) {
        let drawn = Self.ascii.bar(Self.line, width: width)
        #expect(Printable.columns(drawn) < width)
        #expect(drawn == text)
    }

    @Test func wide() {
        let drawn = Self.ascii.bar(Self.line, width: 200)
        #expect(Printable.columns(drawn) == 197)
        #expect(drawn.hasPrefix("debian-12.11.0-amd64-netinst.iso  [===="))
        #expect(drawn.hasSuffix(".]   41%  40.3 MiB/96.0 MiB   183 MiB/s     0:03  8 conn"))
    }

    @Test func neverTooWide() {
        var lines = [Self.line, Self.line, Self.line, LiveLine(name: ""), LiveLine(name: "文件文件文件文件文件文件")]
        lines[1].note = "waiting 3.00 s: the server asked for it with status 503 and a long explanation"
        lines[2].progress.total = nil
        for line in lines {
            for width in 0...220 {
                let drawn = Self.ascii.bar(line, width: width)
                #expect(Printable.columns(drawn) <= max(1, width - 3), "\(width): \(drawn)")
            }
        }
    }

    @Test func phases() {
        var line = LiveLine(name: "f")
        #expect(Self.ascii.bar(line, width: 80) == "f  connecting")
        #expect(ProgressRenderer.plain(line) == "f: connecting")
        line = Self.line
        line.name = "f"
        line.progress.phase = .verifying
        line.progress.received = 96 << 20
        line.progress.finishedRanges = [0..<96 << 20]
        line.progress.verifiedRanges = [0..<96 << 20]
        #expect(Self.ascii.bar(line, width: 52) == "f  [#########]  100%  96.0 MiB/96.0 MiB  checking")
        line.progress.phase = .downloading
        line.progress.total = nil
        line.progress.timeLeft = nil
        #expect(Self.ascii.bar(line, width: 80) == "f  96.0 MiB   183 MiB/s  8 conn")
        line.note = "waiting 3.00 s: 503"
        #expect(Self.ascii.bar(line, width: 80) == "f  96.0 MiB  waiting 3.00 s: 503  8 conn")
    }

    @Test func emptyFilesAreWhole() {
        var line = LiveLine(name: "f")
        line.progress.phase = .downloading
        line.progress.total = 0
        #expect(Self.ascii.bar(line, width: 80).contains("100%"))
    }

    @Test func blocks() {
        let one = Self.ascii.block(LiveDisplay(lines: [Self.line], total: nil), width: 80, height: 24)
        #expect(one.count == 2 && one[0].hasPrefix("debian") && one[1].hasPrefix("[====") && one[1].count == 77)
        let low = Self.ascii.block(LiveDisplay(lines: [Self.line], total: nil), width: 80, height: 1)
        #expect(low == [Self.ascii.bar(Self.line, width: 80)])
        var total = LiveTotal()
        total.done = 3
        total.failed = 1
        total.files = 40
        total.received = 5 << 20
        total.bytesPerSecond = 1_048_576
        total.connections = 16
        let many = LiveDisplay(lines: Array(repeating: Self.line, count: 8), total: total)
        #expect(Self.ascii.block(many, width: 80, height: 24).count == 9)
        let cut = Self.ascii.block(many, width: 80, height: 6)
        #expect(cut.count == 5)
        #expect(
            cut.last == "3 of 40 files done  1 failed  4 more under way  5.00 MiB  1.00 MiB/s  16 conn")
        #expect(Self.ascii.block(many, width: 40, height: 6).last == "3 of 40 files done  1 failed")
        for width in 0...120 {
            for height in 0...12 {
                let lines = Self.ascii.block(many, width: width, height: height)
                #expect(lines.count <= max(1, height - 1))
                #expect(lines.allSatisfy { Printable.columns($0) <= max(1, width - 3) })
            }
        }
        #expect(
            ProgressRenderer.plain(total) == "3 of 40 files done, 1 failed, 0 under way, 5.00 MiB, 1.00 MiB/s")
    }

    @Test(arguments: [20, 30, 40, 60, 80, 100]) func namesOfOneSetDiffer(_ width: Int) {
        let names =
            (1...9).map { "model-0000\($0)-of-00030.safetensors" } + (10...12).map { "model-000\($0)-of-00030.st" }
        let lines = names.map { name in
            var line = Self.line
            line.name = name
            return line
        }
        let drawn = Self.ascii.block(LiveDisplay(lines: lines, total: LiveTotal()), width: width, height: 24).dropLast()
        #expect(Set(drawn).count == names.count, "\(drawn)")
        #expect(drawn.allSatisfy { Printable.columns($0) <= width - 3 })
    }

    @Test func whatTellsNamesApartStaysInSight() {
        let name = "model-00007-of-00030.safetensors"
        func cut(_ limit: Int, _ place: Int) -> String {
            Printable.shortening(name, to: limit, mark: "~", keeping: place)
        }
        #expect(cut(11, 10) == "mode~007~rs")
        #expect(cut(8, 10) == "mod~07~s")
        #expect(cut(7, 10) == "mod~ors")
        #expect(cut(11, 0) == "model~nsors" && cut(11, 31) == "model~nsors")
        #expect(cut(32, 10) == name && cut(40, 10) == name)
        for limit in 8...31 {
            for place in 0..<32 {
                let text = cut(limit, place)
                #expect(text.count == limit, "\(limit), \(place): \(text)")
                #expect(text.hasPrefix("mo") && text.hasSuffix("s"))
            }
        }
    }

    @Test func plainLines() {
        #expect(
            ProgressRenderer.plain(Self.line)
                == "debian-12.11.0-amd64-netinst.iso: 41%, 40.3 MiB of 96.0 MiB, 183 MiB/s, 0:03 left, 8 connections")
    }

    @Test func colourAndUnicodeTakeNoColumns() {
        let plain = ProgressRenderer(unicode: true, color: false).bar(Self.line, width: 100)
        let colored = ProgressRenderer(unicode: true, color: true).bar(Self.line, width: 100)
        #expect(Printable.columns(plain) == 97)
        #expect(plain.contains("▓"))
        #expect(MapRenderer.withoutColor(colored) == plain)
    }

    @Test(
        arguments: [
            (.auto, true, ["TERM": "xterm", "LANG": "de_DE.UTF-8"], true, true, true),
            (.auto, true, ["TERM": "xterm", "LANG": "C", "NO_COLOR": "1"], true, false, false),
            (.auto, true, ["TERM": "dumb"], false, false, false),
            (.auto, true, [:], false, false, false),
            (.auto, false, ["TERM": "xterm"], false, false, false),
            (.bar, false, ["TERM": "xterm"], true, false, false),
            (.plain, true, ["TERM": "xterm", "LC_ALL": "C", "LANG": "C.UTF-8"], false, false, true),
        ] as [(Arguments.Progress, Bool, [String: String], Bool, Bool, Bool)])
    func terminal(
        _ style: Arguments.Progress, _ isTerminal: Bool, _ environment: [String: String], _ isLive: Bool,
        _ unicode: Bool, _ color: Bool
    ) {
        let terminal = Terminal(style, isTerminal: isTerminal) { environment[$0] }
        #expect(terminal.isLive == isLive)
        #expect(terminal.renderer == ProgressRenderer(unicode: unicode, color: color))
    }
}
