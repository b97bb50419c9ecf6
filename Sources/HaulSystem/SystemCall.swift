/// The calls that haul makes on files: what a `SystemError` names and what a `FaultPlan` can fail.
package enum SystemCall: String, Hashable, CaseIterable, Sendable {
    case open, close, dup, read, write, pread, pwrite, fstat, lstat, fstatvfs, flock, ftruncate, fallocate, fchmod
    case futimens, fsync, fdatasync, rename, renameat2, link, linkat, unlink, access, syncfs
    case startWriteback = "sync_file_range"
    case digest = "EVP_DigestUpdate"
    case thread = "pthread_create"
}
