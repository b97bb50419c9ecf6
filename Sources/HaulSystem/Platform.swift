#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// What differs between the platforms' C libraries. The other files that call libc begin with the same import block;
// everything else about the platform is here or in CSystem.

/// Address or number of the calling thread, equal for equal threads: pthread_self(3).
func currentThreadIdentity() -> UInt {
    #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
    #else
        UInt(pthread_self())
    #endif
}

extension stat {
    /// Last modification in seconds since 1970, fractions cut off.
    var modificationSeconds: Int64 {
        #if canImport(Darwin)
            Int64(st_mtimespec.tv_sec)
        #else
            Int64(st_mtim.tv_sec)
        #endif
    }
}
