import Glibc
import HaulTestSupport

/// A call of the C library that takes long in the program under test: how a slow disk or name server looks from inside.
///
/// A library that the linker loads first (`LD_PRELOAD`, ld.so(8)) waits before it makes the real call; tests compile it
/// with the toolchain's clang.
struct SlowCall {
    /// The calls that can be slow.
    enum Name: String, CaseIterable, Sendable {
        case lookUp = "getaddrinfo"
        case sync = "fsync"
        case rename
        case read = "pread"
    }

    /// Variables for the program's environment.
    let environment: [String: String]
    private let mark: String

    /// Makes calls slow.
    ///
    /// - Parameters:
    ///   - name: which.
    ///   - wait: how long each of them takes.
    /// - Throws: `ProcessError` when the library can't be compiled.
    init(_ name: Name, _ wait: Duration) async throws {
        let (source, library) = (Program.file("slow.c"), Program.file("slow.so"))
        mark = Program.file("slow.mark")
        try FileContents.write(Array(Self.source.utf8), to: source)
        let command = """
            clang=$(command -v clang || echo "$(dirname "$(readlink -f "$(command -v swift)")")/clang")
            "$clang" -O1 -Wall -shared -fPIC "$0" -o "$1" -ldl
            """
        try await ProcessRunner.check("/bin/sh", ["-c", command, source, library])
        unlink(source)
        let milliseconds = wait.components.seconds * 1000 + wait.components.attoseconds / 1_000_000_000_000_000
        environment = [
            "LD_PRELOAD": library, "SLOW_CALL": name.rawValue,
            "SLOW_MILLISECONDS": "\(milliseconds)", "SLOW_MARK": mark, "no_proxy": "*",
        ]
    }

    /// Whether such a call has begun.
    var hasBegun: Bool { FileContents.exists(mark) }

    /// Removes what lies in the test's directory for it.
    func cleanUp() {
        for path in [mark, Program.file("slow.so")] { unlink(path) }
    }

    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <netdb.h>
        #include <stdarg.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>

        static void slow(const char *name) {
            const char *call = getenv("SLOW_CALL"), *mark = getenv("SLOW_MARK"), *wait = getenv("SLOW_MILLISECONDS");
            if (!call || !mark || !wait || strcmp(call, name)) return;
            close(open(mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
            long milliseconds = atol(wait);
            struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
            nanosleep(&time, NULL);
        }

        #define REAL(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

        int fsync(int descriptor) { slow("fsync"); return REAL(fsync, descriptor); }
        /* The last rename, and none of the journal's. */
        int rename(const char *from, const char *to) {
            if (!strstr(to, "-journal")) slow("rename");
            return REAL(rename, from, to);
        }
        /* The program makes renameat2(2) by its number. */
        long syscall(long number, ...) {
            long words[6];
            va_list list;
            va_start(list, number);
            for (int index = 0; index < 6; index++) words[index] = va_arg(list, long);
            va_end(list);
            if (number == SYS_renameat2 && !strstr((const char *)words[3], "-journal")) slow("rename");
            return REAL(syscall, number, words[0], words[1], words[2], words[3], words[4], words[5]);
        }
        ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
            slow("pread");
            return REAL(pread, descriptor, bytes, count, offset);
        }
        int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
            slow("getaddrinfo");
            return REAL(getaddrinfo, node, service, hints, result);
        }

        """
}
