#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The time of day: for dates in answers only, since it may be set while a download runs.
package enum WallClock {
    /// Seconds since 1970: time(2).
    @Sendable package static func secondsSince1970() -> Int64 { Int64(time(nil)) }
}
