/// What `--help` and `--list` print.
enum Help {
    /// The help.
    static let text = """
        Measures haul beside curl, aria2c, axel and wget2 (those that are installed), on a
        server of its own. Nothing leaves this machine unless a URL is given.

        Usage: haul-bench [OPTIONS]          scenarios: see --list
               haul-bench [OPTIONS] URL      a real server: 1, 2, 4, 8 and 16 connections
               haul-bench --check            compare with the thresholds, exit 1 if one is broken

          -s, --scenario NAME,...      only these scenarios (may be repeated)
          -c, --contenders NAME,...    haul (the library), haul-cli, curl, aria2c, axel, wget2;
                                       haul-4 has four connections, haul-1 (usual too) one,
                                       haul-auto as many as pay; haul-nosync does not wait for
                                       the disk
          -n, --connections N          connections of those that use several (default 8)
          -r, --rounds N               rounds of each scenario (default 5, 3 with --quick)
              --size SIZE              size of the file, such as 256M or 1G
              --files N                number of small files
              --quick                  smaller files, fewer rounds
          -o, --output-directory DIR   where results are written (default .): choose tmpfs or disk
              --json FILE              write every run as JSON; - is standard output
              --html FILE              write a page with plots
              --thresholds FILE        thresholds for --check
              --handicap NAME          makes haul worse, to see what --check notices:
                                       throttle, burn, twice or hoard
              --timeout SECONDS        end a run after this time (default 180)
              --list                   list scenarios and contenders
          -h, --help                   print this

        A run that fails, or whose result differs from the origin's content, does not count
        and is named. Exit status: 0, 1 for a failed run or a broken threshold, 2 for an
        argument that can't be used.
        """

    /// The scenarios and contenders.
    static var list: String {
        var lines = ["Scenarios:"]
        for scenario in ScenarioCatalog.all {
            let amount: String
            if case .small = scenario.task {
                amount = "\(scenario.amount) files"
            } else {
                amount = Decimals.bytes(scenario.amount)
            }
            let gap = String(repeating: " ", count: max(1, 14 - scenario.name.count))
            lines.append("  \(scenario.name)\(gap)\(scenario.summary) (\(amount))")
        }
        lines.append("Contenders:")
        for tool in Contender.Tool.allCases {
            guard let contender = try? Contender(tool.rawValue) else { continue }
            let gap = String(repeating: " ", count: max(1, 14 - tool.rawValue.count))
            lines.append("  \(tool.rawValue)\(gap)" + (contender.program == nil ? "not installed" : "installed"))
        }
        lines.append("  haul-1 and so on: with that many connections; haul-auto, haul-nosync: see --help")
        return lines.joined(separator: "\n")
    }
}
