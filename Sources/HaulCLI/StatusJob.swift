import Haul

/// `haul status FILE`: says what an unfinished file has on disk.
struct StatusJob: Sendable {
    private let file: String
    private let temporaryDirectory: String?
    private let json: Bool

    /// Judges the arguments.
    init(_ arguments: Arguments, of file: String?) throws(UsageError) {
        guard let file, !file.isEmpty else {
            throw UsageError("'haul status' needs a file: the name that the finished file will have")
        }
        self.file = file
        temporaryDirectory = arguments.temporaryDirectory
        json = arguments.json
    }

    /// Prints what there is.
    func run(_ console: Console) -> ExitStatus {
        do throws(DownloadError) {
            if let partial = try Downloader().status(of: file, temporaryDirectory: temporaryDirectory) {
                if json { console.output(object(partial)) } else { console.text(text(partial)) }
                return .done
            }
        } catch {
            // There may be one that can't be read.
            return failed(Report.line(error, url: nil), ExitStatus(error.code), hasPartial: nil, console)
        }
        let name = Printable.escaping(file)
        if let directory = temporaryDirectory, !Platform.isDirectory(directory) {
            let place = Printable.escaping(directory)
            return failed("option '--temp-directory': '\(place)' is no directory: check the path", .usage, console)
        }
        guard Platform.reasonUnreadable(file) == nil else {
            let message = "\(name): there is no unfinished download: check the name, or --temp-directory"
            return failed(message, .fileSystem, console)
        }
        if json {
            var object = JSONObject()
            object.add("path", file)
            object.add("partial", false)
            console.output(object.text)
        } else {
            console.output("\(name): finished, there is nothing to go on with")
        }
        return .done
    }

    private func failed(
        _ message: String, _ status: ExitStatus, hasPartial: Bool? = false, _ console: Console
    ) -> ExitStatus {
        if json {
            var object = JSONObject()
            object.add("path", file)
            if let hasPartial { object.add("partial", hasPartial) }
            object.add("message", message)
            object.add("exit", status.code)
            console.output(object.text)
        }
        console.error("haul: " + message)
        return status
    }

    private func text(_ partial: PartialDownload) -> String {
        var table = ReportTable(title: Report.name(partial.path))
        let have = ByteCount.text(partial.finished)
        if let size = partial.size {
            let tenths = size > 0 ? Double(partial.finished) / Double(size) * 100 : 100
            table.add("finished", "\(have) of \(ByteCount.text(size)) (\(FixedPoint.text(tenths, decimals: 1)) %)")
        } else {
            table.add("finished", "\(have), size unknown")
        }
        for range in partial.ranges.prefix(Self.shownRanges) {
            table.add("range", "\(range.lowerBound)-\(range.upperBound - 1)")
        }
        if partial.ranges.count > Self.shownRanges {
            table.add("", "and \(partial.ranges.count - Self.shownRanges) more: --json has all")
        }
        if let url = partial.url { table.add("from", url) }
        if let tag = partial.entityTag { table.add("entity tag", tag) }
        if let date = partial.lastModified { table.add("last modified", date) }
        if let type = partial.mediaType { table.add("media type", type) }
        table.add("written", Platform.timeText(partial.modificationTime))
        table.add("partial", partial.partialPath)
        if let journal = partial.journalPath { table.add("journal", journal) }
        if let problem = partial.problem { table.add("notice", problem) }
        return table.text
    }

    private static let shownRanges = 8

    private func object(_ partial: PartialDownload) -> String {
        var object = JSONObject()
        object.add("path", partial.path)
        object.add("partial", true)
        if let size = partial.size { object.add("total", size) }
        object.add("finished", partial.finished)
        object.add("ranges", partial.ranges.map { "\($0.lowerBound)-\($0.upperBound - 1)" })
        if let url = partial.url { object.add("url", url) }
        if let tag = partial.entityTag { object.add("entity_tag", tag) }
        if let date = partial.lastModified { object.add("last_modified", date) }
        if let type = partial.mediaType { object.add("media_type", type) }
        object.add("written", partial.modificationTime)
        object.add("partial_path", partial.partialPath)
        if let journal = partial.journalPath { object.add("journal_path", journal) }
        if let problem = partial.problem { object.add("notice", problem) }
        return object.text
    }
}
