import Glibc
import HaulTestSupport

/// What this process holds of the machine.
struct ProcessFacts: Sendable {
    /// Memory in use, in KiB (`VmRSS` in `/proc/self/status`).
    var memory: Int
    /// Memory that is allocated, in KiB: what of it the allocator has handed out.
    var heap: Int
    /// Number of open descriptors.
    var descriptors: Int
    /// Number of threads.
    var threads: Int

    /// Looks, after the allocator has given back what it can (`malloc_trim(3)`).
    init() {
        Self.trim()
        heap = Self.allocated() >> 10
        let status = (try? FileContents.read("/proc/self/status")) ?? []
        let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
        func number(_ name: String) -> Int {
            let line = lines.first { $0.hasPrefix(name + ":") } ?? ""
            return Int(line.split { !$0.isNumber }.first ?? "0") ?? 0
        }
        memory = number("VmRSS")
        threads = number("Threads")
        // One of them is the look itself.
        descriptors = FileContents.names(in: "/proc/self/fd").count - 1
    }

    /// The headers' part for extensions is closed to Swift.
    private static func trim() {
        guard let call = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(call, to: (@convention(c) (Int) -> Int32).self)(0)
    }

    /// Keeps the allocator to two arenas (`mallopt(3)`, `M_ARENA_MAX`).
    ///
    /// The origins start a thread a connection, and every arena keeps the most that it ever held.
    static func shareArenas() {
        guard let call = dlsym(nil, "mallopt") else { return }
        _ = unsafeBitCast(call, to: (@convention(c) (Int32, Int32) -> Int32).self)(-8, 2)
    }

    /// Bytes handed out by the allocator (`malloc_info(3)`).
    private static func allocated() -> Int {
        var text: UnsafeMutablePointer<CChar>?
        var size = 0
        guard let call = dlsym(nil, "malloc_info"), let stream = open_memstream(&text, &size) else { return 0 }
        typealias Call = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
        _ = unsafeBitCast(call, to: Call.self)(0, stream)
        fclose(stream)
        defer { free(text) }
        guard let text else { return 0 }
        // What stands behind the last heap is of all together.
        let whole = String(cString: text)
        let sums = whole.ranges(of: "</heap>").last.map { whole[$0.upperBound...] } ?? whole[...]
        func bytes(_ element: String) -> Int {
            guard let place = sums.firstRange(of: element),
                let mark = sums[place.upperBound...].firstRange(of: "size=\"")
            else { return 0 }
            return Int(sums[mark.upperBound...].prefix { $0.isNumber }) ?? 0
        }
        return bytes("<system type=\"current\"") + bytes("<total type=\"mmap\"") - bytes("<total type=\"fast\"")
            - bytes("<total type=\"rest\"")
    }
}
