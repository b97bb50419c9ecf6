import Haul

/// `haul doctor URL`: finds out how a server behaves.
struct DoctorJob: Sendable {
    private let request: DownloadRequest
    private let options: DownloadOptions
    private let json: Bool

    /// Judges the arguments.
    init(_ arguments: Arguments, at url: String?, judges: Invocation.Judges) throws(UsageError) {
        guard let url, !url.isEmpty else { throw UsageError("'haul doctor' needs a URL") }
        try judges.checkFiles(arguments)
        request = FetchJob.request(url, to: .directory("."), arguments)
        options = FetchJob.options(arguments)
        json = arguments.json
        do throws(DownloadError) {
            try judges.validate(request, options)
        } catch {
            throw UsageError(Printable.escaping(error.message))
        }
    }

    /// Asks the server and prints the report.
    @concurrent func run(_ console: Console, _ interruption: @Sendable () -> Int32?) async -> ExitStatus {
        if let warning = options.netrcWarning { console.error("haul: " + Printable.escaping(warning)) }
        do throws(DownloadError) {
            let report = try await Downloader().diagnose(request, options: options)
            if json { console.output(object(report)) } else { console.text(text(report)) }
            return .done
        } catch {
            if error.code == .cancelled, let signal = interruption() { return .interrupted(signal: signal) }
            let status = ExitStatus(error.code)
            if json { console.output(JSONEvent(url: request.url).error(error, exit: status)) }
            console.error("haul: " + Report.line(error, url: nil))
            return status
        }
    }

    private func text(_ report: ServerReport) -> String {
        var table = ReportTable(title: Report.redacted(request.url))
        if report.addresses.count < 2 { table.add("redirects", "none") }
        for address in report.addresses.dropFirst() { table.add("redirect", address) }
        let peer = report.remoteAddress.map { " (\($0))" } ?? ""
        table.add("host", Self.host(report.finalAddress) + peer)
        table.add("protocol", report.protocolName ?? "unknown")
        table.add("first byte", "after \(Self.time(report.timeToFirstByte))")
        table.add("length", report.size.map { "\(ByteCount.text($0)) (\($0) bytes)" } ?? "not given")
        table.add("media type", report.mediaType ?? "not given")
        table.add("ranges", Self.words(report.ranges))
        if let tag = report.entityTag { table.add("entity tag", tag) }
        if let date = report.lastModified { table.add("last modified", date) }
        table.add("validator", Self.words(report.validatorStrength))
        table.add(
            "digests", report.digests.isEmpty ? "none" : report.digests.map(\.description).joined(separator: ", "))
        table.add("name", report.suggestedName)
        for admission in report.admissions {
            table.add("connection \(admission.number)", admission.refusal.map { "refused: \($0)" } ?? "admitted")
        }
        let number = report.advisedConnections.map { "-n \($0)" } ?? "-n auto, the default"
        return table.text + "advice: \(number): \(Printable.escaping(report.advice))\n"
    }

    private func object(_ report: ServerReport) -> String {
        var object = JSONObject()
        object.add("url", Report.redacted(request.url))
        object.add("redirects", Array(report.addresses.dropFirst()))
        object.add("host", Self.host(report.finalAddress))
        if let peer = report.remoteAddress { object.add("address", peer) }
        if let name = report.protocolName { object.add("protocol", name) }
        object.add("status", report.status)
        object.add("first_byte", report.timeToFirstByte)
        if let size = report.size { object.add("total", size) }
        if let type = report.mediaType { object.add("media_type", type) }
        object.add("ranges", report.ranges.rawValue)
        if let tag = report.entityTag { object.add("entity_tag", tag) }
        if let date = report.lastModified { object.add("last_modified", date) }
        object.add("validator", report.validatorStrength.rawValue)
        object.add("digests", report.digests.map(\.description))
        object.add("name", report.suggestedName)
        object.add("admitted", report.admissions.filter { $0.refusal == nil }.count + 1)
        if let refusal = report.admissions.compactMap(\.refusal).first { object.add("refusal", refusal) }
        if let number = report.advisedConnections { object.add("connections", number) }
        object.add("advice", report.advice)
        return object.text
    }

    private static func time(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        guard milliseconds < 1000 else { return TimeSpan.text(duration) }
        return FixedPoint.text(milliseconds, decimals: milliseconds < 10 ? 1 : 0) + " ms"
    }

    private static func host(_ address: String) -> String {
        guard let start = address.firstRange(of: "://")?.upperBound else { return address }
        return String(address[start...].prefix { $0 != "/" && $0 != "?" })
    }

    private static func words(_ ranges: ServerReport.Ranges) -> String {
        switch ranges {
        case .served: "served"
        case .onlyAdvertised: "only advertised: the whole file comes instead"
        case .none: "not served"
        }
    }

    private static func words(_ strength: ServerReport.ValidatorStrength) -> String {
        switch strength {
        case .strong: "strong: versions can't be mixed"
        case .weak: "weak: a change may go unseen"
        case .none: "none: a change goes unseen"
        }
    }
}
