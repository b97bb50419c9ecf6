#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the program asks of the operating system, apart from files and processes.
enum Platform {
    /// Seconds since some moment that is the same for all processes (`clock_gettime(2)`).
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Seconds since 1970 (`time(2)`).
    static var calendar: Int64 { Int64(time(nil)) }

    /// Writes all of a text to a descriptor (`write(2)`).
    static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = unqualifiedWrite(descriptor, rest.baseAddress, rest.count)
                if count < 0, errno != EINTR { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(max(0, count)))
            }
        }
    }

    /// Prints a line on standard output.
    static func print(_ line: String) { write(line + "\n", to: 1) }

    /// Prints a line on standard error.
    static func note(_ line: String) { write(line + "\n", to: 2) }

    /// Value of an environment variable.
    static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Path of the program that runs, or the name by which it was called.
    static var ownExecutable: String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else { return CommandLine.arguments.first ?? "haul-bench" }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Path of an installed program; nil if there is none.
    static func program(_ name: String) -> String? {
        let folders = (environment("PATH") ?? "/usr/bin:/bin") + ":/usr/sbin:/usr/local/sbin"
        for folder in folders.split(separator: ":") {
            let path = "\(folder)/\(name)"
            if access(path, X_OK) == 0 { return path }
        }
        return nil
    }

    /// Touches memory and gives it back, so that the next process does not pay for the host's pages.
    ///
    /// `mmap(2)`.
    static func touchMemory(_ count: Int64) {
        let pages = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        let length = min(Int(count), pages / 4)
        guard let start = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0),
            start != MAP_FAILED
        else { return }
        for offset in stride(from: 0, to: length, by: 4096) {
            start.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
        }
        munmap(start, length)
    }

    /// A port of 127.0.0.1 that is free now.
    static func freePort() -> UInt16? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var address = loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, size) | getsockname(descriptor, pointer, &size)
            }
        }
        return result == 0 ? UInt16(bigEndian: address.sin_port) : nil
    }

    /// Whether something accepts connections on a port of 127.0.0.1.
    static func accepts(port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = loopback(port: port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Waits.
    static func sleep(milliseconds: Int32) { _ = poll(nil, 0, milliseconds) }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func unqualifiedWrite(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, start, count)
        #elseif canImport(Musl)
            Musl.write(descriptor, start, count)
        #else
            Darwin.write(descriptor, start, count)
        #endif
    }
}
