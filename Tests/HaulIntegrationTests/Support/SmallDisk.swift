import Glibc
import HaulTestSupport

/// A file system in memory, of a given size.
final class SmallDisk: Sendable {
    /// Where it is mounted.
    let path: String

    /// Mounts one; nil without the right to.
    ///
    /// - Parameters:
    ///   - path: an empty directory.
    ///   - size: as `mount(8)` takes it.
    init?(_ path: String, size: String) {
        self.path = path
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(size)") == 0 else { return nil }
    }

    deinit { umount2(path, CInt(MNT_DETACH)) }

    /// Makes it larger or smaller.
    func resize(_ size: String) throws(ProcessError) {
        guard mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT), "size=\(size)") == 0 else {
            throw ProcessError(call: "mount", path: path, code: errno)
        }
    }
}
