#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The machine in words, without its name.
struct Machine {
    /// Cores that may be used.
    let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    /// Bytes of memory.
    let memory = Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE)))

    /// Processes that wanted a core, on average over the last minute.
    var load: Double {
        FileSystem.text("/proc/loadavg").split(separator: " ").first.flatMap { Double($0) } ?? 0
    }

    /// Kernel and its version.
    var system: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "unknown system" }
        return Self.text(name.sysname) + " " + Self.text(name.release).prefix { $0 != "-" }
    }

    /// Name of the processor.
    var processor: String {
        for line in FileSystem.text("/proc/cpuinfo").split(separator: "\n") where line.hasPrefix("model name") {
            return String(line[(line.firstIndex(of: ":") ?? line.startIndex)...].dropFirst(2))
        }
        return "unknown processor"
    }

    /// All of it in a line.
    var description: String {
        "\(cores) cores (\(processor)), \(Decimals.bytes(memory)) of memory, \(system)"
    }

    private static func text(_ field: some Any) -> String {
        withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
