/// A question that is put to every contender.
struct Scenario: Sendable {
    /// Which server answers.
    enum Server: Sendable {
        /// Our own origin.
        case embedded
        /// nginx, with TLS or without.
        case nginx(secure: Bool)
    }

    /// What is to be fetched.
    enum Task: Sendable {
        /// One file.
        case file
        /// The other half of a file whose first half was fetched and interrupted.
        case resume
        /// One file, to be compared with its SHA-256.
        case digest
        /// Many small files.
        case small
    }

    /// Name on the command line.
    let name: String
    /// Heading in reports.
    let title: String
    /// What it is about, in a sentence.
    let summary: String
    /// Which server answers.
    var server = Server.embedded
    /// What is to be fetched.
    var task = Task.file
    /// Size in bytes, or number of small files.
    let amount: Int64
    /// The same with `--quick`.
    let quickAmount: Int64
    /// Connections of the contenders that use several, nil for what the command line says.
    var connections: Int?
    /// Contenders, nil for the usual ones.
    var contenders: [String]?
    /// What the origin does, besides how much it serves.
    var plan = OriginPlan()

    /// What the origin serves, for an amount.
    func plan(_ amount: Int64) -> OriginPlan {
        var plan = plan
        if case .small = task { plan.files = Int(amount) } else { plan.size = amount }
        return plan
    }
}
