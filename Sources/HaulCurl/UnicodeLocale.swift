#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// UTF-8 for the calling thread: libidn2, asked by libcurl, reads host names in the locale's encoding, and a program
/// that never called `setlocale` has none.
enum UnicodeLocale {
    #if canImport(Glibc)
        /// Never freed: it serves the whole process.
        nonisolated(unsafe) private static let locale: locale_t? = unsafe newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)
    #endif

    /// Runs `body` with the locale in place.
    ///
    /// C function: `uselocale`.
    static func during<Value>(_ body: () -> Value) -> Value {
        #if canImport(Glibc)
            guard let locale = unsafe locale, let before = unsafe uselocale(locale) else { return body() }
            defer { _ = unsafe uselocale(before) }
        #endif
        return body()
    }
}
