import HaulSystem

/// The file without a name that holds what has not gone out yet. Its calls run on the disk thread.
actor StreamFile {
    private let thread: ThreadExecutor

    init(thread: ThreadExecutor) { self.thread = thread }

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Makes it.
    ///
    /// - Parameter directory: where its blocks are; nil is the directory for temporary files.
    /// - Returns: the file.
    /// - Throws: what a call said.
    func make(in directory: String?) throws(SystemError) -> PartFile {
        try PartFile.unnamed(in: directory ?? TemporaryPlace.directory)
    }

    /// Writes what connections have gathered.
    ///
    /// - Throws: the first error.
    func flush(_ writers: [SegmentWriter]) throws(SystemError) {
        for writer in writers { try writer.flush() }
    }
}
