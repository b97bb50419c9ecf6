import Glibc

/// The program `HaulSoak`: downloads without end from origins that misbehave, broken off at random.
///
/// Every file must be right or its failure named, and what is broken must be made good by an honest origin; memory,
/// descriptors and threads must stay as many as they were.
@main
enum Main {
    /// Runs the program and exits with its status.
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        ProcessFacts.shareArenas()
        do throws(SoakSettings.Problem) {
            let settings = try SoakSettings(Array(CommandLine.arguments.dropFirst()))
            exit(await Soak(settings).run() ? 0 : 1)
        } catch {
            Soak.say("HaulSoak: \(error.reason)\n\(SoakSettings.usage)")
            exit(2)
        }
    }
}
