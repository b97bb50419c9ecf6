import HaulTestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A name server that never answers, as a program sees it: its look-ups (`getaddrinfo(3)`) never return.
enum SilentResolver {
    private static var mark: String { Program.file("asked") }

    /// Whether a look-up has begun in the directory of the running test.
    static var isAsked: Bool { FileContents.exists(mark) }

    /// Begins anew: no look-up has begun.
    static func forget() { _ = unlink(mark) }

    /// Compiles the library that is put before the system's.
    ///
    /// - Returns: variables for a program that is to use it.
    /// - Throws: `ProcessError` when the toolchain's compiler can't be run.
    static func environment() async throws -> [String: String] {
        let source = """
            #include <fcntl.h>
            #include <unistd.h>
            int getaddrinfo(const char *node, const char *service, const void *hints, void **result) {
                close(open("\(mark)", O_CREAT | O_WRONLY, 0600));
                for (;;) pause();
            }
            """
        try FileContents.write(Array(source.utf8), to: Program.file("silent.c"))
        let library = Program.file("silent.so")
        let clang = "clang=$(command -v clang || echo \"$(dirname \"$(readlink -f \"$(command -v swift)\")\")/clang\")"
        try await ProcessRunner.check(
            "/bin/sh",
            ["-c", clang + #"; "$clang" -shared -fPIC "$1" -o "$2""#, "sh", Program.file("silent.c"), library])
        return ["LD_PRELOAD": library]
    }
}
