/// What a server saw of one run.
struct ServerLog: Sendable {
    /// A moment, and the bytes handed to the network until then.
    struct Sample: Sendable {
        /// In seconds of `Platform.now`.
        var time: Double
        /// Bytes since the server's start.
        var bytes: Int64
    }

    /// How far it was, in order of time.
    var samples: [Sample] = []
    /// Bytes of body it sent.
    var bytes: Int64 = 0
    /// Requests, refused ones included.
    var requests = 0
    /// TCP connections; 0 if it does not count them.
    var connections = 0
    /// Requests answered with a status of 400 or more.
    var refusals = 0
    /// Seconds of CPU that it used.
    var processorTime = 0.0
}
