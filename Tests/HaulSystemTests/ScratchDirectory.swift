import HaulCore
import HaulSystem
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A directory for one test, removed with its last reference.
final class ScratchDirectory: Sendable {
    let path: String

    init(under parent: String = "/tmp") throws {
        var name = Array("\(parent)/haul-disk-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { throw SystemError(.open, number: errno, path: parent) }
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for entry in entries {
            if rmdir(path + "/" + entry) != 0 { unlink(path + "/" + entry) }
        }
        rmdir(path)
    }

    /// The path of an entry.
    func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Names of everything in the directory, sorted.
    var entries: [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Makes a file.
    @discardableResult
    func write(_ name: String, _ bytes: [UInt8], mode: UInt32 = 0o600) throws -> String {
        let handle = try FileHandle(self(name), .creating)
        try handle.resize(0)
        try handle.write(bytes.span.bytes, at: 0)
        try handle.setMode(mode)
        return self(name)
    }

    /// The bytes of a file.
    func read(_ name: String) throws -> [UInt8] {
        let handle = try FileHandle(self(name), .reading)
        return try handle.read(ByteRange(0, try handle.size()))
    }

    /// The permission bits of a file.
    func mode(_ name: String) -> UInt32 {
        var facts = stat()
        lstat(self(name), &facts)
        return UInt32(facts.st_mode) & 0o7777
    }
}

/// SplitMix64: the same sequence for the same seed, everywhere.
struct DiskRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Bytes, eight at a time: tests are not optimised.
    mutating func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            var index = 0
            while index + 8 <= count {
                raw.storeBytes(of: next(), toByteOffset: index, as: UInt64.self)
                index += 8
            }
            while index < count {
                raw[index] = UInt8(truncatingIfNeeded: next())
                index += 1
            }
            initialized = count
        }
    }
}

extension [UInt8] {
    /// These bytes as a finished range at `offset`.
    func finished(at offset: Int64) -> FinishedRange {
        FinishedRange(
            ByteRange(offset, offset + Int64(count)), checksum: HardwareCRC32C.checksum(span.bytes))
    }

    /// The part of these bytes that a range of the file names.
    subscript(_ range: ByteRange) -> [UInt8] { Array(self[Int(range.lowerBound)..<Int(range.upperBound)]) }
}

#if DEBUG
    /// Runs `body` with a plan in force for one directory.
    func withFaults<Result>(
        in directory: ScratchDirectory, _ prepare: (FaultPlan) -> Void, _ body: (FaultPlan) throws -> Result
    ) rethrows -> Result {
        let plan = FaultPlan(for: directory.path)
        prepare(plan)
        plan.install()
        defer { plan.remove() }
        return try body(plan)
    }
#endif

/// Bytes, where a literal would be one of integers.
func bytes(_ bytes: UInt8...) -> [UInt8] { bytes }

/// The error that `body` throws, if it is one of the disk's.
func systemError(_ body: () throws -> Void) -> SystemError? {
    do { try body() } catch { return error as? SystemError }
    return nil
}
