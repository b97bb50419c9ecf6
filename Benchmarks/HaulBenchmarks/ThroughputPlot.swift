/// Throughput over time, a line for each contender.
struct ThroughputPlot {
    /// One contender's line.
    struct Line {
        /// Its name.
        let name: String
        /// Number of its colour.
        let color: Int
        /// The run that is drawn.
        let run: Run
    }

    /// The lines, in order of the legend.
    let lines: [Line]

    /// The plot as HTML: the curves in SVG that stretches, the texts around it in HTML that does not.
    var html: String {
        let end = lines.map(\.run.wall).max() ?? 0
        guard end > 0 else { return "" }
        // All lines have bins of the same length, so that they can be compared.
        let bin = max(0.05, end / 200)
        let curves = lines.map { (line: $0, rates: Self.rates($0.run, bin: bin)) }
        let top = Self.roundedUp(curves.flatMap(\.rates).max() ?? 1)
        let paths = curves.map { curve -> String in
            var points: [String] = []
            for (index, rate) in curve.rates.enumerated() {
                let x = min(end, (Double(index) + 0.5) * bin) / end * 1000
                points.append("\(Decimals.text(x, 1)),\(Decimals.text((1 - rate / top) * 200, 1))")
            }
            return "<polyline class=\"l\(curve.line.color)\" points=\"\(points.joined(separator: " "))\">"
                + "<title>\(curve.line.name)</title></polyline>"
        }
        let grid = [0, 50, 100, 150].map { "<line class=\"grid\" x1=\"0\" x2=\"1000\" y1=\"\($0)\" y2=\"\($0)\"/>" }
        let legend = lines.map { "<span><b class=\"c\($0.color)\"></b>\($0.name)</span>" }
        return """
            <figure class="plot"><figcaption>throughput in MiB/s over time</figcaption>
            <div class="frame"><div class="scale"><span>\(Decimals.text(top, 0))</span>\
            <span>\(Decimals.text(top / 2, top < 10 ? 1 : 0))</span><span>0</span></div>
            <svg viewBox="0 0 1000 200" preserveAspectRatio="none" role="img" aria-label="throughput over time">
            \(grid.joined())
            \(paths.joined(separator: "\n"))
            </svg></div>
            <div class="time"><span>0</span><span>\(Decimals.short(end / 2))</span><span>\(Decimals.short(end)) s</span></div>
            <div class="legend">\(legend.joined())</div></figure>
            """
    }

    /// MiB a second in each bin, from the samples' own steps, with a zero at the end.
    private static func rates(_ run: Run, bin: Double) -> [Double] {
        var bytes = [Double](repeating: 0, count: Int(run.wall / bin) + 1)
        var before = ServerLog.Sample(time: 0, bytes: 0)
        for sample in run.server.samples where sample.time > before.time {
            // What came between two samples is spread evenly between them.
            let rate = Double(sample.bytes - before.bytes) / (sample.time - before.time)
            var time = max(0, before.time)
            while time < sample.time {
                let index = Int(time / bin)
                let next = min(sample.time, Double(index + 1) * bin)
                guard index < bytes.count, next > time else { break }
                bytes[index] += rate * (next - time)
                time = next
            }
            before = sample
        }
        return bytes.enumerated().map { index, count in
            // The last bin is shorter.
            let length = min(bin, run.wall - Double(index) * bin)
            return length > bin / 4 ? count / length / Double(1 << 20) : 0
        }
    }

    private static func roundedUp(_ value: Double) -> Double {
        var unit = 1.0
        while unit * 10 < value { unit *= 10 }
        for factor in [1.0, 2, 4, 6, 8, 10] where unit * factor >= value { return unit * factor }
        return unit * 10
    }
}
