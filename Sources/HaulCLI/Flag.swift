/// One option of the command line: everything that parsing, help, man page and completions need.
struct Flag: Sendable {
    /// Where help lists an option.
    enum Category: String, CaseIterable, Sendable {
        case output = "Output"
        case transfer = "Transfer"
        case batch = "Batch"
        case request = "Request"
        case tls = "TLS and network"
        case integrity = "Integrity"
        case reporting = "Reporting"
    }

    /// What a shell may offer as a value.
    enum Completion: Sendable {
        case none
        case files
        case directories
        case words([String])
    }

    /// Name without its two hyphens.
    let long: String
    /// One-letter name, if there is one.
    let short: Character?
    /// What help calls the value; nil when the option takes none.
    let variable: String?
    /// Where help lists it.
    let category: Category
    /// Place in the short help, lowest first; nil keeps it out.
    let rank: Int?
    /// One line for both helps, without a full stop.
    let summary: String
    /// More about it, for `--help` and the man page; may be empty.
    let details: String
    /// What a shell may offer as a value.
    let completion: Completion
    /// Puts an occurrence into the arguments.
    let apply: @Sendable (inout Arguments, FlagValue) throws(UsageError) -> Void

    /// Makes an option.
    init(
        _ long: String, _ short: Character? = nil, _ variable: String? = nil, _ category: Category, rank: Int? = nil,
        _ summary: String, details: String = "", completion: Completion = .none,
        apply: @escaping @Sendable (inout Arguments, FlagValue) throws(UsageError) -> Void
    ) {
        self.long = long
        self.short = short
        self.variable = variable
        self.category = category
        self.rank = rank
        self.summary = summary
        self.details = details
        self.completion = completion
        self.apply = apply
    }

    /// All spellings, the short one first.
    var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--" + long] }

    /// All spellings with the value's name, such as `-n, --connections N`.
    var usage: String {
        let names = (short.map { "-\($0), " } ?? "    ") + "--" + long
        return names + (variable.map { " " + $0 } ?? "")
    }
}
