import Haul
import HaulOrigin

/// The whole story on a server in this process: one connection, eight, a killed fetch that goes on, and the proof.
struct Demo: Sendable {
    /// The file that the server has: what its bytes are, and their SHA-256.
    private static let resource = OriginResource("/demo.bin", size: 96 << 20, seed: 2024)
    private static let digest = "be32393fbe95b99ca6c32240ce11583c8ffa24801d0e083ae88ecc69b2f2093d"
    /// Bytes a second on each connection, as many servers have it.
    private static let rate: Int64 = 20 << 20
    /// Eight connections are nearly eight times as fast on an idle machine; below this something else keeps it busy.
    private static let idleFactor = 4.0

    /// Where lines go.
    let console: Console
    /// The signal that ends the program, once there is one.
    let interruption: @Sendable () -> Int32?

    /// Prepares the process, before there is a second thread: the demonstration never goes through a proxy.
    static func prepare() { Platform.setEnvironment("no_proxy", to: "*") }

    /// Runs everything.
    ///
    /// - Returns: `done` if all is as it should be.
    @concurrent func run() async -> ExitStatus {
        do {
            try await tell()
            return .done
        } catch {
            console.show(nil)
            if let signal = interruption() { return .interrupted(signal: signal) }
            let reason =
                (error as? DemoFailure)?.message
                ?? (error as? DownloadError).map { Report.line($0, url: nil, withCause: true) }
            console.error("haul: the demonstration failed: \(reason ?? "\(error)")")
            return .other
        }
    }

    private func tell() async throws {
        guard let directory = TemporaryDirectory() else { throw DemoFailure("can't make a temporary directory") }
        var configuration = OriginConfiguration([Self.resource])
        configuration.connectionRate = Self.rate
        let server = try OriginServer(configuration)
        defer { server.stop() }
        let url = server.url(for: Self.resource.path)
        let size = ByteCount.text(Self.resource.size)
        say("A server in this process, limited to \(ByteCount.rate(Double(Self.rate))) a connection, has \(size):")
        say("  \(url)")
        say("")

        let single = try await fetch(url, over: 1, to: directory.file("single"))
        say("1  One connection:    \(figures(single))")
        let eight = try await fetch(url, over: 8, to: directory.file("eight"))
        let factor = TimeSpan.seconds(single.duration) / max(0.001, TimeSpan.seconds(eight.duration))
        say("2  Eight connections: \(figures(eight)), \(FixedPoint.text(factor, decimals: 1)) times as fast")
        if factor < Self.idleFactor { say("   (nearly eight times on an idle machine; this one is busy)") }

        let path = directory.file("killed")
        let arrived = try killHalfWay(url, path)
        say(
            "3  A second haul, killed (SIGKILL) when \(ByteCount.text(arrived)) had arrived; no file has the final name."
        )
        let resumed = try await fetch(url, over: 8, to: path)
        guard resumed.resumed > 0 else { throw DemoFailure("nothing of the killed fetch was used") }
        guard resumed.received < Self.resource.size else { throw DemoFailure("everything was fetched again") }
        say(
            "4  The same again:    \(ByteCount.text(resumed.resumed)) were on disk, "
                + "\(ByteCount.text(resumed.received)) fetched in \(TimeSpan.text(resumed.duration))")
        say("5  Each file has SHA-256 \(Self.digest.prefix(8))…, and every byte is the server's.")
        say("   haul verified: \(resumed.verified.joined(separator: ", "))")
        say("")
        say("All is as it should be.")
    }

    /// Fetches the file with this library, checks every byte, and deletes nothing: the directory does.
    private func fetch(_ url: String, over connections: Int, to path: String) async throws -> DownloadReceipt {
        let request = DownloadRequest(url, to: path, expecting: try .sha256(Self.digest))
        var options = DownloadOptions()
        options.connections = connections
        let download = Downloader().start(request, options: options)
        let result = await withTaskCancellationHandler {
            for await progress in download.progress {
                console.show(LiveDisplay(lines: [LiveLine(name: "demo.bin", progress: progress)], total: nil))
            }
            do throws(DownloadError) {
                return Result<DownloadReceipt, DownloadError>.success(try await download.receipt)
            } catch { return .failure(error) }
        } onCancel: {
            download.cancel()
        }
        console.show(nil)
        let receipt = try result.get()
        try compare(path)
        guard !receipt.verified.isEmpty else { throw DemoFailure("haul did not verify the file") }
        return receipt
    }

    /// Compares a file with what the server has.
    private func compare(_ path: String) throws(DemoFailure) {
        guard let file = ReadableFile(path) else { throw DemoFailure("\(path) is not there") }
        let content = Self.resource.content
        var wrong: Int64?
        let count = file.read { bytes, offset in
            wrong = content.firstDifference(in: bytes, at: offset)
            return wrong == nil
        }
        if let wrong { throw DemoFailure("\(path) differs from the server's at byte \(wrong)") }
        guard count == Self.resource.size else {
            throw DemoFailure("\(path) has \(count) bytes instead of \(Self.resource.size)")
        }
    }

    /// Starts a fetch in another process and kills it when half of the file has arrived.
    ///
    /// - Returns: bytes that had arrived.
    private func killHalfWay(_ url: String, _ path: String) throws(DemoFailure) -> Int64 {
        // Two connections: slow enough to be caught half-way.
        let words = ["--json", "-n", "2", "-o", path, "--checksum", "sha-256=" + Self.digest, url]
        guard var child = ChildProcess(words) else { throw DemoFailure("can't start \(Platform.ownExecutable)") }
        var text: [UInt8] = []
        var received: Int64 = 0
        while received < Self.resource.size / 2 {
            if Task.isCancelled { throw DemoFailure("interrupted") }
            guard let bytes = child.read(waiting: 50) else { continue }
            guard !bytes.isEmpty else { throw DemoFailure("the other haul ended too early") }
            text += bytes
            while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                received = Self.received(String(decoding: text[..<end], as: UTF8.self)) ?? received
                text.removeSubrange(...end)
            }
        }
        guard child.killNow() else { throw DemoFailure("the other haul ended before it could be killed") }
        guard ReadableFile(path) == nil else { throw DemoFailure("a half file has the final name") }
        return received
    }

    /// Value of `received` in a JSON line of the event `progress`.
    private static func received(_ line: String) -> Int64? {
        guard line.hasPrefix(#"{"event":"progress""#), let name = line.firstRange(of: #""received":"#) else {
            return nil
        }
        return Int64(line[name.upperBound...].prefix { $0.isNumber })
    }

    private func figures(_ receipt: DownloadReceipt) -> String {
        let seconds = max(0.001, TimeSpan.seconds(receipt.duration))
        return "\(TimeSpan.text(receipt.duration)), \(ByteCount.rate(Double(receipt.bytes) / seconds))"
    }

    private func say(_ line: String) { console.output(line) }
}
