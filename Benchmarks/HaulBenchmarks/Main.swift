#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The program `haul-bench`.
@main
enum Main {
    /// Hidden first argument: be the origin.
    static let originMode = "--be-the-origin"
    /// Hidden first argument: fetch with the library.
    static let fetchMode = "--be-the-library"

    /// Runs the program and exits with its status.
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case originMode: exit(OriginService.run(OriginPlan(Words(arguments))))
        case fetchMode: LibraryFetch.run(Words(arguments))
        default: exit(Self.run(arguments))
        }
    }

    private static func run(_ arguments: [String]) -> Int32 {
        do {
            let settings = try Settings(arguments)
            for name in settings.contenders ?? [] { _ = try Contender(name) }
            switch settings.mode {
            case .help: Platform.print(Help.text)
            case .list: Platform.print(Help.list)
            default: return try Session(settings).run() ? 0 : 1
            }
            return 0
        } catch let error as UsageError {
            Platform.note("haul-bench: \(error.message)")
            return 2
        } catch let error as BenchmarkFailure {
            Platform.note("haul-bench: \(error.message)")
            return 1
        } catch {
            Platform.note("haul-bench: \(error)")
            return 1
        }
    }
}
