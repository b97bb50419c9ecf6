import Haul

/// A program that downloads, with the number of its connections.
struct Contender: Sendable {
    /// The programs.
    enum Tool: String, CaseIterable, Sendable {
        /// The library, in a process of this program's own executable.
        case haul
        /// The command-line tool.
        case haulCLI = "haul-cli"
        case curl
        case aria2c
        case axel
        case wget2
    }

    /// Name on the command line and in reports.
    let name: String
    /// The program.
    let tool: Tool
    /// Connections, nil for what the scenario or the command line says.
    let connections: Int?
    /// Whether it finds out by itself how many connections pay.
    let isAutomatic: Bool
    /// Whether the disk is waited for before the end.
    let syncs: Bool

    /// Contenders when nothing else is said.
    static let usual = ["haul", "haul-cli", "haul-1", "curl", "aria2c", "axel", "wget2"]

    /// Reads a name: `haul`, `haul-cli`, `curl`, …, with `-N` for a number of connections, or `-auto`, and `-nosync` behind it.
    ///
    /// - Throws: why it is none.
    init(_ name: String) throws(UsageError) {
        var parts = name.split(separator: "-").map { String($0) }
        syncs = parts.last != "nosync"
        if !syncs { parts.removeLast() }
        isAutomatic = parts.last == "auto"
        if isAutomatic { parts.removeLast() }
        connections = parts.last.flatMap { Int($0) }
        if connections != nil { parts.removeLast() }
        guard let tool = Tool(rawValue: parts.joined(separator: "-")), (1...256).contains(connections ?? 1) else {
            let known = Tool.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("no contender '\(name)': use \(known), with -N for N connections")
        }
        let isOurs = tool == .haul || tool == .haulCLI
        guard syncs || isOurs else { throw UsageError("'\(tool.rawValue)' never syncs") }
        guard !isAutomatic || isOurs && connections == nil else {
            throw UsageError("'\(name)' is given its connections: leave out -auto")
        }
        self.name = name
        self.tool = tool
    }

    /// The program's path; nil where it is not installed.
    var program: String? {
        switch tool {
        case .haul: return Platform.ownExecutable
        case .haulCLI:
            if let path = Platform.environment("HAUL_BINARY") { return FileSystem.isExecutable(path) ? path : nil }
            let own = Platform.ownExecutable
            let path = own.prefix(upTo: own.lastIndex(of: "/") ?? own.startIndex) + "/haul"
            return FileSystem.isExecutable(String(path)) ? String(path) : nil
        default: return Platform.program(tool.rawValue)
        }
    }

    /// Connections that it uses in a scenario; for small files, files at once.
    func connections(in scenario: Scenario, standard: Int) -> Int {
        // curl never divides a file.
        if tool == .curl {
            guard case .small = scenario.task else { return 1 }
        }
        if isAutomatic { return DownloadOptions.automaticLimit }
        return connections ?? scenario.connections ?? standard
    }
}
