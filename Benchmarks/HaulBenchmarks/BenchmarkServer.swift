/// A server for one run, in a process of its own.
protocol BenchmarkServer: AnyObject {
    /// Address without a path.
    var base: String { get }
    /// Takes a sample of the bytes sent, if it is time for one.
    func sample()
    /// Bytes sent at the last sample.
    var bytesSent: Int64 { get }
    /// Stops it.
    ///
    /// - Returns: what it saw.
    func finish() -> ServerLog
}
