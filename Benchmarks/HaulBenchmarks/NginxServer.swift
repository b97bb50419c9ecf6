#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// nginx, run for one measurement.
///
/// What it sends is sampled from its workers' counts of written bytes (`/proc/PID/io`), which over TLS have about a
/// five-hundredth more than the content; the sum comes from its log.
final class NginxServer: BenchmarkServer {
    let base: String
    private(set) var bytesSent: Int64 = 0

    private let site: NginxSite
    private let process: ChildProgram
    private let workers: [String]
    private let before: Int64
    private var log = ServerLog()

    /// Starts it; it accepts connections when the initializer returns.
    init(_ site: NginxSite) throws(BenchmarkFailure) {
        guard let program = NginxSite.program(secure: site.isSecure), let port = Platform.freePort() else {
            throw BenchmarkFailure("nginx is not installed")
        }
        self.site = site
        FileSystem.remove(site.accessLog)
        let file = site.directory + "/nginx.conf"
        try FileSystem.write(site.configuration(port: port), to: file)
        let user = geteuid() == 0 ? "user root; " : ""
        let process = try ChildProgram([
            program, "-p", site.directory, "-c", file, "-e", "stderr", "-g", user + "daemon off;",
        ])
        let deadline = Platform.now + 10
        while !Platform.accepts(port: port) {
            guard Platform.now < deadline else { throw BenchmarkFailure("nginx does not start") }
            Platform.sleep(milliseconds: 5)
        }
        // It accepts connections before all workers are there, and what those write would not be counted.
        var workers = Self.workers(of: process)
        while workers.count < NginxSite.workerCount, Platform.now < deadline {
            Platform.sleep(milliseconds: 1)
            workers = Self.workers(of: process)
        }
        self.process = process
        base = (site.isSecure ? "https" : "http") + "://127.0.0.1:\(port)"
        self.workers = workers
        before = Self.written(workers)
    }

    /// Numbers of its worker processes.
    private static func workers(of process: ChildProgram) -> [String] {
        let identifier = process.identifier
        let children = FileSystem.text("/proc/\(identifier)/task/\(identifier)/children")
        return children.split(separator: " ").map { String($0) }
    }

    func sample() {
        let now = Platform.now
        guard now - (log.samples.last?.time ?? 0) >= 0.01 else { return }
        bytesSent = Self.written(workers) - before
        log.samples.append(ServerLog.Sample(time: now, bytes: bytesSent))
    }

    func finish() -> ServerLog {
        process.signal(SIGQUIT)
        while let part = process.read(waiting: 5000), !part.isEmpty {}
        process.signal(SIGTERM)
        let usage = process.wait()
        log.processorTime = usage.user + usage.system
        var connections: Set<Substring> = []
        for line in FileSystem.text(site.accessLog).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, let bytes = Int64(words[0]), let status = Int(words[1]) else { continue }
            log.requests += 1
            if status < 400 { log.bytes += bytes } else { log.refusals += 1 }
            connections.insert(words[2])
        }
        log.connections = connections.count
        return log
    }

    private static func written(_ workers: [String]) -> Int64 {
        var sum: Int64 = 0
        for worker in workers {
            for line in FileSystem.text("/proc/\(worker)/io").split(separator: "\n") where line.hasPrefix("wchar:") {
                sum += Int64(line.dropFirst(7)) ?? 0
            }
        }
        return sum
    }
}
