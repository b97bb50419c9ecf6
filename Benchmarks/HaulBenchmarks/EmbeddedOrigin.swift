/// The origin of the tests, in a process of its own.
final class EmbeddedOrigin: BenchmarkServer {
    /// Port on which it listens.
    let port: UInt16
    private(set) var bytesSent: Int64 = 0

    private let process: ChildProgram
    private var log = ServerLog()
    private var unread: [UInt8]

    var base: String { "http://127.0.0.1:\(port)" }

    /// Starts an origin; it accepts connections when the initializer returns.
    init(_ plan: OriginPlan) throws(BenchmarkFailure) {
        let process = try ChildProgram(
            [Platform.ownExecutable, Main.originMode] + plan.words.list, takesErrors: false)
        var greeting: [UInt8] = []
        while !greeting.contains(10), let part = process.read(waiting: 10_000), !part.isEmpty { greeting += part }
        let line = greeting.prefix { $0 != 10 }
        guard line.starts(with: "port ".utf8), let port = UInt16(String(decoding: line.dropFirst(5), as: UTF8.self))
        else { throw BenchmarkFailure("the origin does not start") }
        self.port = port
        self.process = process
        unread = Array(greeting.dropFirst(line.count + 1))
    }

    func sample() {
        while let part = process.read(waiting: 0), !part.isEmpty {
            unread += part
            takeLines()
        }
    }

    func finish() -> ServerLog {
        process.tell("e")
        while let part = process.read(waiting: 10_000), !part.isEmpty { unread += part }
        takeLines()
        let usage = process.wait()
        log.processorTime = usage.user + usage.system
        return log
    }

    private func takeLines() {
        while let end = unread.firstIndex(of: 10) {
            let words = String(decoding: unread[..<end], as: UTF8.self).split(separator: " ")
            unread.removeFirst(end + 1)
            let numbers = words.dropFirst().map { Double($0) ?? 0 }
            if words.first == "at", numbers.count == 2 {
                bytesSent = Int64(numbers[1])
                log.samples.append(ServerLog.Sample(time: numbers[0], bytes: bytesSent))
            } else if words.first == "end", numbers.count == 4 {
                log.bytes = Int64(numbers[0])
                (log.requests, log.connections, log.refusals) = (Int(numbers[1]), Int(numbers[2]), Int(numbers[3]))
            }
        }
    }
}
