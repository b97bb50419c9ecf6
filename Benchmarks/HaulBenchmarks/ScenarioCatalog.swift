/// Every scenario, in the order of reports.
enum ScenarioCatalog {
    private static let mebibyte: Int64 = 1 << 20

    /// All scenarios.
    static let all: [Scenario] = [
        unlimited, nginx, tls, digest, capped, latency(50), latency(150), slow, refusing, resume, small,
    ]

    /// The scenario with a name; `latency` is both of them.
    static func named(_ name: String) -> [Scenario] { all.filter { $0.name == name || $0.name.hasPrefix(name + "-") } }

    private static let unlimited = Scenario(
        name: "unlimited", title: "Unlimited",
        summary: "Loopback without limits: splitting gains nothing, the cost of a byte decides.",
        amount: 1024 * mebibyte, quickAmount: 256 * mebibyte)

    private static let nginx = Scenario(
        name: "nginx", title: "Unlimited, from nginx",
        summary: "The same from nginx with two workers, which costs the machine less than our own origin.",
        server: .nginx(secure: false), amount: 1024 * mebibyte, quickAmount: 256 * mebibyte)

    private static let tls = Scenario(
        name: "tls", title: "TLS, from nginx", summary: "TLS 1.3 without limits: decryption decides.",
        server: .nginx(secure: true), amount: 1024 * mebibyte, quickAmount: 256 * mebibyte)

    private static let digest = Scenario(
        name: "sha256", title: "With SHA-256",
        summary: "Without limits, and the file is compared with its SHA-256; curl is followed by sha256sum.",
        task: .digest, amount: 1024 * mebibyte, quickAmount: 256 * mebibyte,
        contenders: ["haul", "haul-cli", "haul-1", "curl", "aria2c"])

    private static let capped: Scenario = {
        var plan = OriginPlan()
        plan.connectionRate = 20 * mebibyte
        return Scenario(
            name: "capped", title: "20 MiB/s a connection",
            summary: "A token bucket for each TCP connection, however many requests it carries.",
            amount: 256 * mebibyte, quickAmount: 128 * mebibyte, plan: plan)
    }()

    private static func latency(_ milliseconds: Int64) -> Scenario {
        var plan = OriginPlan()
        plan.delay = milliseconds
        plan.connectionRate = mebibyte * 1000 / milliseconds
        plan.totalRate = 200 * mebibyte
        return Scenario(
            name: "latency-\(milliseconds)", title: "\(milliseconds) ms away",
            summary: """
                \(milliseconds) ms for each connect and each first byte, a window of 1 MiB a round trip on each \
                connection, 200 MiB/s for all together.
                """,
            amount: milliseconds > 100 ? 128 * mebibyte : 256 * mebibyte,
            quickAmount: milliseconds > 100 ? 32 * mebibyte : 64 * mebibyte, plan: plan)
    }

    private static let slow: Scenario = {
        var plan = OriginPlan()
        plan.connectionRate = 2 * mebibyte
        plan.slowRate = 20_000
        return Scenario(
            name: "slow", title: "One slow connection",
            summary: "Four connections: one gets 20 kB/s, the others 2 MiB/s each.",
            amount: 32 * mebibyte, quickAmount: 16 * mebibyte, connections: 4, plan: plan)
    }()

    private static let refusing: Scenario = {
        var plan = OriginPlan()
        plan.connectionRate = 20 * mebibyte
        plan.connectionLimit = 4
        return Scenario(
            name: "refusing", title: "Four connections allowed",
            summary: "16 connections asked for, 503 for those beyond four, 20 MiB/s each.",
            amount: 256 * mebibyte, quickAmount: 128 * mebibyte, connections: 16,
            contenders: ["haul", "haul-cli", "haul-4", "curl", "aria2c", "axel", "wget2"], plan: plan)
    }()

    private static let resume: Scenario = {
        var plan = OriginPlan()
        plan.connectionRate = 20 * mebibyte
        return Scenario(
            name: "resume", title: "Resume at half",
            summary: """
                Interrupted by SIGINT once half was sent; the second half is timed at 20 MiB/s a connection, and the \
                bytes of both runs count.
                """,
            task: .resume, amount: 256 * mebibyte, quickAmount: 128 * mebibyte, plan: plan)
    }()

    private static let small = Scenario(
        name: "small", title: "Small files",
        summary: "Files of 4 to 64 KiB, 16 at once.",
        task: .small, amount: 10_000, quickAmount: 1000, connections: 16,
        contenders: ["haul", "haul-cli", "curl", "aria2c", "wget2"])
}
