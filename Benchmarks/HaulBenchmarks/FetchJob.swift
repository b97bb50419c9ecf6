/// What a contender is to fetch in one run, and where to.
struct FetchJob {
    /// Address of the server, without a path.
    var base: String
    /// Paths on the server.
    var paths: [String]
    /// Directory for the results, which have the paths' names.
    var directory: String
    /// Connections, or files at once.
    var connections: Int
    /// Expected SHA-256 in hexadecimal digits, nil for none.
    var digest: String?
    /// PEM file to trust, nil for none.
    var trustFile: String?
    /// Whether an earlier run was interrupted.
    var resumes = false
    /// Whether many files are wanted rather than one.
    var isBatch = false
    /// What makes the library's run worse on purpose.
    var handicap: Handicap?

    /// Address of the only file.
    var url: String { base + (paths.first ?? "/") }
    /// Name of the only file.
    var name: String { String((paths.first ?? "/").dropFirst()) }
    /// Path of the only result.
    var output: String { directory + "/" + name }
    /// File with the list of what to fetch.
    var list: String { directory + ".list" }
}
