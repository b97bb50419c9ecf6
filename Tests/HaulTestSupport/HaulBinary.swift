import Glibc

/// The `haul` that was built beside the tests.
package enum HaulBinary {
    /// Path of the executable: `HAUL_BINARY`, or `haul` in the directory of the running test program.
    package static var path: String {
        if let given = getenv("HAUL_BINARY") { return String(cString: given) }
        return directory + "/haul"
    }

    /// Directory of the running program.
    package static var directory: String {
        let size = 4096
        let path = withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer -> String in
            guard let start = buffer.baseAddress else { return "./" }
            let count = readlink("/proc/self/exe", start, size)
            guard count > 0 else { return "./" }
            return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
    }
}
