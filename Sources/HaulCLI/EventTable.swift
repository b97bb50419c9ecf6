/// The events of `--json`, each with its members: the one table that documentation is made from.
enum EventTable {
    /// An event, and what its line says besides the members of all.
    struct Row: Sendable {
        /// The value of `event`.
        let name: String
        /// When it comes.
        let meaning: String
        /// What its line says, in order.
        let members: [Member]
    }

    /// A member of an object.
    struct Member: Sendable {
        /// Its name.
        let name: String
        /// What it says, and when it is missing.
        let meaning: String

        init(_ name: String, _ meaning: String) { (self.name, self.meaning) = (name, meaning) }
    }

    /// What every line says.
    static let common = [
        Member("event", "which of these it is"),
        Member("url", "the address as it was given, without name and password; missing where no address is concerned"),
        Member("output", "path of the finished file; missing until it is known"),
    ]

    /// All events.
    static let rows = [
        Row(
            name: "start", meaning: "the first answer was judged",
            members: [
                Member("total", "size in bytes; missing if the server does not say"),
                Member("resumed", "bytes on hand from earlier runs"),
            ]),
        Row(
            name: "plan", meaning: "how the work is divided, and under way that the server refuses more connections",
            members: [Member("message", "in words")]),
        Row(
            name: "progress", meaning: "how far it is",
            members: [
                Member("received", "bytes on hand, resumed ones included; smaller than before only after a restart"),
                Member("total", "as above"),
                Member("rate", "bytes a second now, without resumed ones"),
                Member("connections", "connections in use"),
            ]),
        Row(
            name: "retry", meaning: "an attempt failed, and another follows",
            members: [Member("reason", "in words"), Member("wait", "seconds until then")]),
        Row(
            name: "restart", meaning: "what was on hand does not count any more",
            members: [Member("reason", "in words")]),
        Row(
            name: "notice", meaning: "something that may deserve attention",
            members: [Member("message", "in words")]),
        Row(
            name: "verified", meaning: "what was proved before the file got its name",
            members: [Member("verified", "an array of how, such as sha-256")]),
        Row(
            name: "done", meaning: "the file is there",
            members: [
                Member("path", "where"),
                Member("bytes", "its size"),
                Member("resumed", "of these, bytes from earlier runs"),
                Member("received", "bytes that this run received, those included that came twice"),
                Member("seconds", "time taken"),
                Member("connections", "the most at once; where the server refused some, the most that it served"),
                Member("speedup", "rate of all connections divided by that of one; missing if not known"),
                Member("requests", "requests that were sent"),
                Member("complete", "whether the file had been there before"),
                Member("duplicate", "true where an equal request had fetched it, else missing"),
                Member("verified", "as above"),
            ]),
        Row(
            name: "error", meaning: "the download failed, or a line of a list can't be used",
            members: [
                Member(
                    "code",
                    "one of invalidRequest, unreachable, tls, refused, resourceChanged, integrity, fileSystem, diskFull, "
                        + "partialInUse, outputExists, timedOut, cancelled, other"),
                Member("status", "the HTTP status; missing if there is none"),
                Member("message", "what happened and what to do"),
                Member("cause", "what lies underneath; missing if nothing does"),
                Member("exit", "the exit status that it stands for"),
            ]),
    ]
}
