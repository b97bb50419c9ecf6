import CSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A descriptor that bytes go out to, such as a pipe: a duplicate of the caller's, who may close its own.
package struct OutputDescriptor: ~Copyable, Sendable {
    /// What it is called in messages.
    package static let name = "the output"
    /// What a pipe is made to hold: less to and fro between the two processes.
    private static let pipeLength: Int32 = 1 << 20
    private let descriptor: Int32

    /// Duplicates a descriptor: fcntl(2).
    ///
    /// - Parameter number: the descriptor, open for writing; its flags are left alone.
    /// - Throws: what fcntl(2) said.
    package init(duplicating number: Int32) throws(SystemError) {
        descriptor = try Syscalls.duplicate(number, Self.name)
        haul_widen_pipe(descriptor, Self.pipeLength)
    }

    deinit { Syscalls.closeFile(descriptor, Self.name) }

    /// Writes all bytes; waits as long as nobody takes them: write(2).
    ///
    /// - Parameters:
    ///   - buffer: what to write.
    ///   - goesOn: asked while nobody takes bytes from a non-blocking descriptor; false gives up.
    /// - Throws: what write(2) said; with EPIPE nobody reads any more. A part may have gone out.
    func write(_ buffer: UnsafeRawBufferPointer, while goesOn: () -> Bool) throws(SystemError) {
        var rest = unsafe buffer
        while unsafe !rest.isEmpty, goesOn() {
            do throws(SystemError) {
                let count = try unsafe Syscalls.writeNext(descriptor, rest, Self.name)
                unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } catch {
                // Whoever shares the descriptor made it non-blocking.
                guard error.number == EAGAIN else { throw error }
                Syscalls.waitUntilWritable(descriptor, milliseconds: 100)
            }
        }
    }
}

extension SystemError {
    /// Whether the reader of a pipe or socket went away.
    package var isClosedPipe: Bool { call == .write && (number == EPIPE || number == ECONNRESET) }
}
