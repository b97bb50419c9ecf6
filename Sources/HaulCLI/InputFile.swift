/// An input file, or standard input, read piece by piece.
struct InputFile: Sendable {
    /// What messages call it.
    let name: String
    private let descriptor: Int32

    /// Opens a file.
    ///
    /// - Parameter path: the file; `-` is standard input.
    /// - Throws: that it can't be opened.
    init(_ path: String) throws(UsageError) {
        name = path == "-" ? "standard input" : path
        guard path != "-" else {
            descriptor = Platform.standardInput
            return
        }
        let (opened, problem) = Platform.openForReading(path)
        guard problem == 0 else {
            throw UsageError("can't read '\(Printable.escaping(path))': \(Platform.message(problem)): check the path")
        }
        if Platform.isDirectory(path) {
            Platform.closeDescriptor(opened)
            throw UsageError("can't read '\(Printable.escaping(path))': it is a directory: give a list of addresses")
        }
        descriptor = opened
    }

    /// Waits for bytes; a cancelled task does not wait.
    ///
    /// - Returns: empty at the end.
    /// - Throws: what read(2) said.
    func read() async throws(UsageError) -> [UInt8] {
        // Whoever types, or computes the list, may take any time: no thread waits for that.
        while !Platform.wait(for: descriptor, events: Platform.readable, milliseconds: 0) {
            do { try await Task.sleep(for: .milliseconds(20)) } catch { return [] }
        }
        let (bytes, problem) = Platform.readChunk(descriptor)
        guard problem == 0 else { throw UsageError("can't read \(name): \(Platform.message(problem))") }
        return bytes
    }

    /// Closes it.
    func close() { if descriptor != Platform.standardInput { Platform.closeDescriptor(descriptor) } }
}
