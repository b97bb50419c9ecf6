import Haul

/// The lines of `--json`, one function an event.
struct JSONEvent: Sendable {
    /// The address as it was given, but for name and password; nil for what is about no one download.
    let url: String?
    /// Path of the finished file, once known.
    var output: String?

    /// Makes the events of one download, or of a list of them.
    init(url: String?) { self.url = url.map(Report.withoutUser) }

    /// The first answer was judged.
    func start(total: Int64?, resumed: Int64) -> String {
        line("start") { object in
            if let total { object.add("total", total) }
            object.add("resumed", resumed)
        }
    }

    /// How far it is.
    func progress(_ progress: DownloadProgress) -> String {
        line("progress") { object in
            object.add("received", progress.received)
            if let total = progress.total { object.add("total", total) }
            object.add("rate", Int64(exactly: progress.bytesPerSecond.rounded()) ?? 0)
            object.add("connections", progress.connections)
        }
    }

    /// How the work is split.
    func plan(_ text: String) -> String { line("plan") { $0.add("message", text) } }

    /// An attempt failed and another follows.
    func retry(reason: String, wait: Duration) -> String {
        line("retry") { object in
            object.add("reason", reason)
            object.add("wait", wait)
        }
    }

    /// What was on hand does not count any more.
    func restart(reason: String) -> String { line("restart") { $0.add("reason", reason) } }

    /// Something that may deserve attention.
    func notice(_ text: String) -> String { line("notice") { $0.add("message", text) } }

    /// What was proved and how.
    func verified(_ proofs: [String]) -> String { line("verified") { $0.add("verified", proofs) } }

    /// The file is there.
    func done(_ receipt: DownloadReceipt, isDuplicate: Bool = false) -> String {
        line("done") { object in
            object.add("path", receipt.path)
            object.add("bytes", receipt.bytes)
            object.add("resumed", receipt.resumed)
            object.add("received", receipt.received)
            object.add("seconds", receipt.duration)
            object.add("connections", receipt.connections)
            if let factor = receipt.speedUp { object.add("speedup", factor) }
            object.add("requests", receipt.requests)
            object.add("complete", receipt.wasComplete)
            if isDuplicate { object.add("duplicate", true) }
            object.add("verified", receipt.verified)
        }
    }

    /// The download failed, or a line of a list can't be used.
    func error(_ error: DownloadError, exit: ExitStatus) -> String {
        line("error") { object in
            object.add("code", error.code.description.prefix { $0 != "(" }.description)
            if let status = error.code.status { object.add("status", status) }
            object.add("message", error.message)
            if let cause = error.cause { object.add("cause", cause) }
            object.add("exit", exit.code)
        }
    }

    private func line(_ event: String, _ fill: (inout JSONObject) -> Void) -> String {
        var object = JSONObject()
        object.add("event", event)
        if let url { object.add("url", url) }
        if let output { object.add("output", output) }
        fill(&object)
        return object.text
    }
}
