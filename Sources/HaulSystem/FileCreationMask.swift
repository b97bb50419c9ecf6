import HaulCore
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The process's file mode creation mask.
package enum FileCreationMask {
    private static let asking = Mutex(())

    /// The mask as it is now: `Umask` in /proc/self/status, where there is one, else umask(2).
    ///
    /// umask(2) cannot ask without setting. It then sets the strictest mask for a moment, so that a file which another
    /// thread makes meanwhile has too few permissions rather than too many.
    package static var current: UInt32 {
        if let mask = fromProc() { return mask }
        return asking.withLock { _ in
            let mask = umask(0o077)
            _ = umask(mask)
            return UInt32(mask)
        }
    }

    /// Permission bits that the process gives to new files now.
    package static var modeOfNewFiles: UInt32 { 0o666 & ~current }

    private static func fromProc() -> UInt32? {
        guard let status = try? FileHandle("/proc/self/status", .reading).read(ByteRange(0, 4096)) else { return nil }
        for line in status.split(separator: UInt8(ascii: "\n")) where line.starts(with: "Umask:".utf8) {
            let digits = String(decoding: line.dropFirst(6), as: UTF8.self).drop { $0 == "\t" || $0 == " " }
            return UInt32(digits, radix: 8)
        }
        return nil
    }
}
