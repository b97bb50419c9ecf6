import Glibc
import HaulOrigin

/// A terminal that a program draws on, and that tests read from (`pty(7)`).
package final class PseudoTerminal: Sendable {
    private struct State: Sendable {
        var drawn: [UInt8] = []
        var isLeft = false
        var isOver = false
    }

    private let main: Int32
    private let state = OriginLock(State())
    /// Path of the end for the program.
    package let path: String

    /// Opens a terminal.
    ///
    /// - Parameters:
    ///   - columns: its width.
    ///   - rows: its height.
    /// - Throws: `ProcessError` when there is none to be had.
    package init(columns: Int, rows: Int) throws(ProcessError) {
        main = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var unlocked: Int32 = 0
        var number: UInt32 = 0
        guard main >= 0, ioctl(main, Self.setLock, &unlocked) == 0, ioctl(main, Self.getNumber, &number) == 0 else {
            throw ProcessError(call: "open", path: "/dev/ptmx", code: errno)
        }
        path = "/dev/pts/\(number)"
        resize(columns: columns, rows: rows)
        let (descriptor, state) = (main, state)
        BackgroundThread.detach {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while !state.withLock(\.isOver) {
                var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                let count = poll(&item, 1, 50) > 0 ? read(descriptor, &buffer, buffer.count) : 0
                // Nobody has opened the other end yet, or any more.
                if count < 0 {
                    state.withLock { $0.isLeft = !$0.drawn.isEmpty }
                    usleep(10_000)
                }
                if count > 0 { state.withLock { $0.drawn += buffer[..<count] } }
            }
            close(descriptor)
        }
    }

    deinit { state.withLock { $0.isOver = true } }

    /// `TIOCSPTLCK` and `TIOCGPTN` of Linux.
    private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

    /// Starts a program with this terminal as its own: it gets the terminal's signals and may draw on it.
    ///
    /// - Parameters:
    ///   - executable: path of the program.
    ///   - arguments: what follows its name.
    ///   - environment: variables to set.
    ///   - directory: where it runs.
    ///   - isJob: whether a shell runs it, which says `left` and its status when it stops or ends, and goes on with it once.
    /// - Returns: the process, or the shell; its standard error is the terminal.
    /// - Throws: `ProcessError` when it can't be started.
    package func start(
        _ executable: String, _ arguments: [String], environment: [String: String], directory: String,
        isJob: Bool = false
    ) throws(ProcessError) -> ProcessRunner {
        let rest = isJob ? "set -m; \"$@\"; echo \"left $?\" >&2; fg >&2; echo \"left $?\" >&2" : "exec \"$@\""
        let script = "exec 2<>\"$0\"; " + rest
        return try ProcessRunner(
            "/usr/bin/setsid", ["-w", "/bin/sh", "-c", script, path, executable] + arguments, environment: environment,
            directory: directory)
    }

    /// Gives it another size: `TIOCSWINSZ`.
    package func resize(columns: Int, rows: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(main, UInt(TIOCSWINSZ), &size)
    }

    /// Types something, such as `\u{1A}` for ^Z.
    package func type(_ text: String) { _ = write(main, text, text.utf8.count) }

    /// Whether those who drew on it are gone, and all that they drew has come.
    package var isLeft: Bool { state.withLock(\.isLeft) }

    /// What was drawn so far.
    package var drawn: String { state.withLock { String(decoding: $0.drawn, as: UTF8.self) } }
}
