#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the program asks of the operating system, apart from signals and processes.
enum Platform {
    /// Descriptor of standard input.
    static let standardInput: Int32 = 0
    /// Descriptor of standard output.
    static let standardOutput: Int32 = 1
    /// Descriptor of standard error.
    static let standardError: Int32 = 2
    /// Event for `wait`: there is something to read.
    static let readable = Int16(POLLIN)
    /// errno of a pipe whose reader went away.
    static let brokenPipe = EPIPE
    /// errno of a path that nothing is at.
    static let noSuchFile = ENOENT
    /// What `wait` waits for where something is to be written.
    static let writable = Int16(POLLOUT)
    /// errno of a path that leads through a file.
    static let notDirectory = ENOTDIR

    /// Keeps memory that is given back for what is asked for next.
    ///
    /// libcurl asks for a buffer of up to half a MiB with each transfer; glibc gave its pages back to the kernel and had them
    /// made anew, six page faults for each small file. Other C libraries have no such call.
    ///
    /// `mallopt(3)`, which Swift's module of glibc does not show.
    static func keepFreedMemory() {
        typealias Function = @convention(c) (CInt, CInt) -> CInt
        guard let symbol = dlsym(nil, "mallopt") else { return }
        let mallopt = unsafeBitCast(symbol, to: Function.self)
        let (trimThreshold, mapThreshold): (CInt, CInt) = (-1, -3)
        _ = mallopt(trimThreshold, 16 << 20)
        _ = mallopt(mapThreshold, 1 << 20)
    }

    /// Writes all bytes of a text.
    ///
    /// - Returns: errno, or 0.
    ///
    /// `write(2)`.
    static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                #if canImport(Glibc)
                    let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                #elseif canImport(Musl)
                    let count = Musl.write(descriptor, rest.baseAddress, rest.count)
                #else
                    let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
                #endif
                if count >= 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                } else if errno == EAGAIN {
                    // Whoever shares the descriptor made it non-blocking.
                    _ = wait(for: descriptor, events: writable, milliseconds: -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
    }

    /// Waits for a descriptor.
    ///
    /// `poll(2)`.
    ///
    /// - Parameters:
    ///   - descriptor: what to wait for.
    ///   - events: `POLLIN` or `POLLOUT`.
    ///   - milliseconds: longest wait; -1 is for ever.
    /// - Returns: whether it is ready.
    static func wait(for descriptor: Int32, events: Int16, milliseconds: Int32) -> Bool {
        var item = pollfd(fd: descriptor, events: events, revents: 0)
        return poll(&item, 1, milliseconds) > 0
    }

    /// Whether a descriptor is a terminal.
    ///
    /// `isatty(3)`.
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Whether this process may draw on the terminal now: it is not in the background.
    ///
    /// `tcgetpgrp(3)`.
    static func isInForeground(_ descriptor: Int32) -> Bool { tcgetpgrp(descriptor) == getpgrp() }

    /// Columns and rows of a terminal; nil if it does not say.
    ///
    /// `TIOCGWINSZ`.
    static func size(_ descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : 24)
    }

    /// Whether a path names a directory.
    ///
    /// `stat(2)`.
    static func isDirectory(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
    }

    /// Why no file can be made in a directory, in words that follow its name; nil if one can.
    ///
    /// `stat(2)`, `access(2)`.
    static func reasonUnusable(_ directory: String) -> String? {
        var information = stat()
        guard stat(directory, &information) == 0 else {
            return errno == ENOENT ? "there is no such directory: check the path" : "\(message(errno)): check the path"
        }
        guard information.st_mode & S_IFMT == S_IFDIR else { return "is not a directory: check the path" }
        guard access(directory, W_OK | X_OK) != 0 else { return nil }
        return "no permission (\(message(errno))): choose a place that you may write to"
    }

    /// Whether a path can be written to as a file of one name: nothing is there, or one that nothing else leads to.
    ///
    /// A pipe would make the writer wait, a link would lead it elsewhere. A device such as `/dev/null` does no harm. The
    /// transport looks again before it writes.
    /// `lstat(2)`.
    @Sendable static func mayBeWritten(_ path: String) -> Bool {
        var information = stat()
        guard lstat(path, &information) == 0 else { return true }
        let kind = information.st_mode & S_IFMT
        return kind == S_IFCHR || kind == S_IFREG && information.st_nlink == 1
    }

    /// Raises the number of files that may be open at once, as far as the system lets and is of use.
    ///
    /// `getrlimit(2)`, `setrlimit(2)`.
    ///
    /// - Returns: the number.
    static func raiseOpenFileLimit() -> Int {
        // Many more than the most connections and files of a run take.
        let enough: rlim_t = 4096
        var limit = rlimit()
        guard getrlimit(openFiles, &limit) == 0 else { return Int(enough) }
        if limit.rlim_cur < min(enough, limit.rlim_max) {
            var raised = limit
            raised.rlim_cur = min(enough, limit.rlim_max)
            if setrlimit(openFiles, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// Puts something in the place of standard streams that are closed: pipes and files of ours would get their numbers, and
    /// be read and written in their stead.
    ///
    /// Reading there, or writing, is an error as it is with a closed stream: `fcntl(2)`, `open(2)` of `/dev/null` the wrong
    /// way round.
    static func occupyStandardDescriptors() {
        for descriptor in [standardInput, standardOutput, standardError] where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == standardInput ? O_WRONLY : O_RDONLY)
        }
    }

    #if canImport(Glibc)
        private static var openFiles: Int32 { Int32(RLIMIT_NOFILE.rawValue) }
    #else
        private static var openFiles: Int32 { RLIMIT_NOFILE }
    #endif

    /// Why a file can't be read, in the system's words; nil if it can.
    ///
    /// `open(2)`, `fstat(2)`.
    @Sendable static func reasonUnreadable(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return message(errno) }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { return message(errno) }
        return information.st_mode & S_IFMT == S_IFDIR ? message(EISDIR) : nil
    }

    /// Whether a regular file holds what it has to; anything else, which may be read only once, is taken for right.
    ///
    /// `stat(2)`.
    @Sendable static func holds(_ path: String, _ kind: FileKind) -> Bool {
        var information = stat()
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG, let file = ReadableFile(path)
        else {
            return true
        }
        var bytes: [UInt8] = []
        _ = file.read { piece, _ in
            bytes += piece
            return bytes.count < FileKind.limit
        }
        return kind.fits(bytes)
    }

    /// Value of an environment variable.
    ///
    /// `getenv(3)`.
    static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Sets an environment variable, before there is a second thread.
    ///
    /// `setenv(3)`.
    static func setEnvironment(_ name: String, to value: String) { setenv(name, value, 1) }

    /// Path of the program that runs.
    static var ownExecutable: String {
        #if os(Linux)
            "/proc/self/exe"
        #else
            CommandLine.arguments.first ?? "haul"
        #endif
    }

    /// A time of day here, such as `2026-11-30 03:12:31`.
    ///
    /// `localtime_r(3)`.
    static func timeText(_ seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = tm()
        guard localtime_r(&time, &parts) != nil else { return "\(seconds)" }
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date = "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        return "\(date) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    }

    /// What an errno means.
    ///
    /// `strerror(3)`.
    static func message(_ number: Int32) -> String { strerror(number).map { String(cString: $0) } ?? "errno \(number)" }

    /// Makes a pipe whose ends children don't inherit.
    ///
    /// `pipe(2)`.
    ///
    /// - Returns: nil when there are no descriptors left.
    static func pipe() -> (reading: Int32, writing: Int32)? {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
            guard Glibc.pipe(&ends) == 0 else { return nil }
        #elseif canImport(Musl)
            guard Musl.pipe(&ends) == 0 else { return nil }
        #else
            guard Darwin.pipe(&ends) == 0 else { return nil }
        #endif
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Reads what is there, at most 4 KiB.
    ///
    /// `read(2)`.
    ///
    /// - Returns: empty at the end and after an error.
    static func read(_ descriptor: Int32) -> [UInt8] { readChunk(descriptor, atMost: 4096).bytes }

    /// Opens a file for reading.
    ///
    /// `open(2)`.
    ///
    /// - Returns: the descriptor, and errno or 0.
    static func openForReading(_ path: String) -> (descriptor: Int32, problem: Int32) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        return descriptor < 0 ? (-1, errno) : (descriptor, 0)
    }

    /// Closes a descriptor.
    ///
    /// `close(2)`.
    static func closeDescriptor(_ descriptor: Int32) {
        _ = close(descriptor)
    }

    /// Reads what is there, 64 KiB unless told otherwise.
    ///
    /// `read(2)`.
    ///
    /// - Returns: the bytes, none at the end, and errno or 0.
    static func readChunk(_ descriptor: Int32, atMost limit: Int = 65_536) -> (bytes: [UInt8], problem: Int32) {
        var problem: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            repeat {
                #if canImport(Glibc)
                    count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                #elseif canImport(Musl)
                    count = Musl.read(descriptor, buffer.baseAddress, buffer.count)
                #else
                    count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
                #endif
            } while count < 0 && errno == EINTR
            if count < 0 { problem = errno }
            count = max(0, count)
        }
        return (bytes, problem)
    }

    /// Ends the process at once, without the exit handlers of libraries whose threads still run.
    ///
    /// `_exit(2)`.
    static func exit(_ status: Int32) -> Never { _exit(status) }

    /// Words of the command line, the program's own name not among them.
    ///
    /// - Throws: which word is not UTF-8; as a path it would name another file.
    static func words() throws(UsageError) -> [String] {
        var words: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let word = CommandLine.unsafeArgv[index] else { break }
            guard let text = String(validatingCString: word) else {
                throw UsageError("argument \(index), '\(Printable.escaping(String(cString: word)))', is not UTF-8")
            }
            words.append(text)
        }
        return words
    }
}
