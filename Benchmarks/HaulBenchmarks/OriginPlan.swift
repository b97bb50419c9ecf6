import HaulOrigin

/// What an origin in a process of its own serves, and how.
struct OriginPlan: Sendable {
    /// Bytes of the one file; with `files` above 0 it is not used.
    var size: Int64 = 0
    /// Number of small files in place of the one.
    var files = 0
    /// Bytes a second on each TCP connection, whatever the number of its requests.
    var connectionRate: Int64?
    /// Bytes a second of all connections together.
    var totalRate: Int64?
    /// Milliseconds before each answer, and before a new connection is served: one round trip.
    var delay: Int64 = 0
    /// Largest number of connections; those beyond are answered 503.
    var connectionLimit: Int?
    /// Bytes a second of the second connection, the others keeping to `connectionRate`.
    var slowRate: Int64?
    /// Port to listen on, 0 for any.
    var port: UInt16 = 0

    /// Content of the one file.
    static let content = OriginContent(seed: 20)
    /// Path of the one file.
    static let path = "/file.bin"

    /// Makes a plan for one file without limits.
    init(size: Int64 = 0) { self.size = size }

    /// Bytes of everything that it serves.
    var totalSize: Int64 { files == 0 ? size : (0..<files).reduce(0) { $0 + Self.smallSize($1) } }

    /// Size of a small file, 4 to 64 KiB.
    static func smallSize(_ index: Int) -> Int64 {
        4096 + Int64((UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15) >> 33) % 61_441
    }

    /// Name of a small file.
    static func smallName(_ index: Int) -> String {
        let digits = String(index)
        return "f" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits + ".bin"
    }

    /// Content of a small file.
    static func smallContent(_ index: Int) -> OriginContent { OriginContent(seed: UInt64(1000 + index)) }

    /// Time that a client with that many connections needs for `bytes` at least; nil where nothing sets a limit.
    func ideal(connections: Int, bytes: Int64) -> Double? {
        let count = min(connections, connectionLimit ?? connections)
        var rate = Double.infinity
        if let connectionRate { rate = Double(connectionRate) * Double(count) }
        if let slowRate, let connectionRate, count > 1 { rate += Double(slowRate - connectionRate) }
        if let totalRate { rate = min(rate, Double(totalRate)) }
        guard rate.isFinite else { return nil }
        return Double(bytes) / rate + 2 * Double(delay) / 1000
    }

    // MARK: - Between processes

    /// The plan as words.
    var words: Words {
        var words = Words()
        words.set("size", size)
        words.set("files", files)
        words.set("connection-rate", connectionRate)
        words.set("total-rate", totalRate)
        words.set("delay", delay)
        words.set("connection-limit", connectionLimit)
        words.set("slow-rate", slowRate)
        words.set("port", port)
        return words
    }

    /// Reads a plan.
    init(_ words: Words) {
        size = words.number("size") ?? 0
        files = words.number("files").map { Int($0) } ?? 0
        connectionRate = words.number("connection-rate")
        totalRate = words.number("total-rate")
        delay = words.number("delay") ?? 0
        connectionLimit = words.number("connection-limit").map { Int($0) }
        slowRate = words.number("slow-rate")
        port = words.number("port").map { UInt16(clamping: $0) } ?? 0
    }

    /// The configuration of an origin that follows the plan.
    var configuration: OriginConfiguration {
        var configuration = OriginConfiguration()
        if files == 0 {
            let behaviors = slowRate.map { [OriginBehavior.oneSlowConnection(connection: 2, rate: $0)] } ?? []
            configuration.resources = [
                OriginResource(Self.path, size: size, seed: Self.content.seed, behaviors: behaviors)
            ]
        } else {
            configuration.resources = (0..<files).map { index in
                let seed = Self.smallContent(index).seed
                return OriginResource("/" + Self.smallName(index), size: Self.smallSize(index), seed: seed)
            }
        }
        configuration.connectionRate = connectionRate
        configuration.totalRate = totalRate
        configuration.acceptDelay = .milliseconds(delay)
        configuration.responseDelay = .milliseconds(delay)
        configuration.connectionLimit = connectionLimit
        configuration.port = port
        return configuration
    }
}
