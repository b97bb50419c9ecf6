/// What is to be measured, and how.
struct Settings {
    /// What the program does.
    enum Mode {
        case scenarios
        case server(String)
        case check
        case list
        case help
    }

    /// What the program does.
    var mode = Mode.scenarios
    /// Scenarios by name; empty for all.
    var scenarios: [String] = []
    /// Contenders by name, nil for each scenario's usual ones.
    var contenders: [String]?
    /// Rounds, nil for 5, or 3 with `--quick` or `--check`.
    var rounds: Int?
    /// Size in bytes in place of the scenarios' own.
    var size: Int64?
    /// Number of small files in place of the scenario's own.
    var files: Int64?
    /// Connections of those that use several.
    var connections = 8
    /// Whether smaller amounts are used.
    var isQuick = false
    /// Directory in which results are written and removed.
    var outputDirectory = "."
    /// Where the JSON goes: a file, `-` for standard output; nil for nowhere.
    var json: String?
    /// Where the page goes, nil for nowhere.
    var html: String?
    /// File with thresholds, nil for the one in the repository.
    var thresholds: String?
    /// What makes haul worse on purpose.
    var handicap: Handicap?
    /// Seconds after which a run is ended.
    var timeout = 180.0

    /// Reads arguments.
    ///
    /// - Throws: which one can't be used.
    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-") else {
                guard word.hasPrefix("http://") || word.hasPrefix("https://") else {
                    throw UsageError("'\(word)' is no option and no http address: see haul-bench --help")
                }
                mode = .server(word)
                continue
            }
            var name = word
            var attached: String?
            if let split = word.firstIndex(of: "=") {
                name = String(word[..<split])
                attached = String(word[word.index(after: split)...])
            }
            func value() throws(UsageError) -> String {
                guard let text = attached ?? rest.popFirst() else { throw UsageError("option '\(name)' needs a value") }
                attached = nil
                return text
            }
            switch name {
            case "-h", "--help": mode = .help
            case "--list": mode = .list
            case "--check": mode = .check
            case "--quick": isQuick = true
            case "-s", "--scenario": scenarios += try Self.scenarios(value())
            case "-c", "--contenders": contenders = try value().split(separator: ",").map { String($0) }
            case "-r", "--rounds": rounds = try Self.number(name, value(), in: 1...1000)
            case "-n", "--connections": connections = try Self.number(name, value(), in: 1...256)
            case "--files": files = Int64(try Self.number(name, value(), in: 1...99_999))
            case "--timeout": timeout = Double(try Self.number(name, value(), in: 1...1_000_000))
            case "--size":
                let text = try value()
                guard let count = Decimals.size(text) else { throw UsageError("'\(text)' is no size: use 256M or 1G") }
                size = count
            case "-o", "--output-directory": outputDirectory = try value()
            case "--json": json = try value()
            case "--html": html = try value()
            case "--thresholds": thresholds = try value()
            case "--handicap":
                let text = try value()
                guard let known = Handicap(rawValue: text) else {
                    let names = Handicap.allCases.map(\.rawValue).joined(separator: ", ")
                    throw UsageError("no handicap '\(text)': use \(names)")
                }
                handicap = known
            default: throw UsageError("no option '\(name)': see haul-bench --help")
            }
            if attached != nil { throw UsageError("option '\(name)' takes no value") }
        }
    }

    /// Rounds of each scenario.
    func roundCount(_ standard: Int) -> Int { rounds ?? (isQuick ? min(3, standard) : standard) }

    /// Amount of a scenario.
    func amount(of scenario: Scenario) -> Int64 {
        if case .small = scenario.task { return files ?? (isQuick ? scenario.quickAmount : scenario.amount) }
        return size ?? (isQuick ? scenario.quickAmount : scenario.amount)
    }

    private static func scenarios(_ names: String) throws(UsageError) -> [String] {
        var found: [String] = []
        for name in names.split(separator: ",") {
            let known = ScenarioCatalog.named(String(name))
            guard !known.isEmpty else { throw UsageError("no scenario '\(name)': see haul-bench --list") }
            found += known.map(\.name)
        }
        return found
    }

    private static func number(_ name: String, _ text: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw UsageError("option '\(name)' needs a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
