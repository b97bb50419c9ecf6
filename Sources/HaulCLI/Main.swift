import Haul

/// The program `haul`.
///
/// The main thread only writes; what is to be done runs in one task. Waiting in plain `main` instead of an
/// asynchronous one keeps the main thread alive, which `/proc/self` depends on.
@main
enum Main {
    /// Runs the program and exits with its status.
    static func main() {
        Platform.occupyStandardDescriptors()
        SignalMonitor.prepare()
        Platform.exit(run())
    }

    private static func run() -> Int32 {
        do throws(UsageError) {
            let words = try Platform.words()
            var arguments = try ArgumentParser.parse(words)
            if ConfigFile.counts(for: arguments), let config = try ConfigFile.read(Platform.environment) {
                arguments = try ArgumentParser.parse(words, over: try config.arguments())
            }
            let invocation = try Invocation(arguments, judges: judges)
            return perform(invocation)
        } catch {
            _ = Platform.write("haul: \(error.message)\n", to: Platform.standardError)
            return ExitStatus.usage.code
        }
    }

    private static func perform(_ invocation: Invocation) -> Int32 {
        switch invocation {
        case .help(.short): return printed(HelpRenderer.short)
        case .help(.full): return printed(HelpRenderer.full)
        case .helpOf(let command): return printed(HelpRenderer.help(of: command))
        case .version: return printed(HelpRenderer.version)
        case .manual: return printed(ManualRenderer.page)
        case .completions(let shell): return printed(CompletionRenderer.script(for: shell))
        case .demo:
            Demo.prepare()
            return work(.auto) { console, _, interruption in
                await Demo(console: console, interruption: interruption).run()
            }
        case .status(let job): return work(.none) { console, _, _ in job.run(console) }
        case .verify(let job): return work(.none) { console, _, interruption in await job.run(console, interruption) }
        case .doctor(let job): return work(.none) { console, _, interruption in await job.run(console, interruption) }
        case .fetch(let job):
            Platform.keepFreedMemory()
            // Bytes and a live line on one terminal would make a mess of each other.
            let isHidden = job.isStream && Platform.isTerminal(Platform.standardOutput)
            let progress = job.reporting.verbosity == .quiet || isHidden ? .none : job.reporting.progress
            return work(progress) { console, isLive, interruption in
                await FetchRunner(
                    job: job, limits: job.limits(openFiles: Platform.raiseOpenFileLimit()), console: console,
                    isLive: isLive, interruption: interruption
                ).run()
            }
        }
    }

    /// Runs an operation in a task that the first signal cancels, and writes what it posts.
    private static func work(
        _ style: Arguments.Progress,
        _ operation: @escaping @Sendable (Console, Bool, @escaping @Sendable () -> Int32?) async -> ExitStatus
    ) -> Int32 {
        let openFiles = Platform.raiseOpenFileLimit()
        // With none left, the runtime's own threads end the process.
        guard openFiles >= FetchJob.leastOpenFiles else {
            return failed(
                "only \(openFiles) files may be open at once: allow \(FetchJob.leastOpenFiles) or more (ulimit -n)",
                .fileSystem)
        }
        let terminal = Terminal(
            style, isTerminal: Platform.isTerminal(Platform.standardError), environment: Platform.environment)
        guard let console = Console(terminal) else { return failed("no file descriptors left") }
        let work = Work()
        let hasBlock = terminal.isLive && terminal.hasEscapes
        let monitor = SignalMonitor.start { _ in
            work.cancel()
        } onSuspension: {
            let error = Platform.standardError
            guard hasBlock, Platform.isInForeground(error),
                Platform.wait(for: error, events: Platform.writable, milliseconds: 0)
            else { return }
            _ = Platform.write(Painter.erasing, to: error)
        } onForcedEnd: {
            // Not if that would have to wait for a reader.
            guard Platform.wait(for: Platform.standardError, events: Platform.writable, milliseconds: 0) else { return }
            // The prompt begins in place of what was drawn.
            let start = hasBlock ? Painter.erasing : terminal.isLive ? "\n" : ""
            let text = start + "haul: interrupted at once: the same command goes on from what was recorded\n"
            _ = Platform.write(text, to: Platform.standardError)
        }
        guard let monitor else { return failed("no threads left") }
        work.start {
            console.finish(await operation(console, terminal.isLive) { monitor.received })
        }
        return console.run()
    }

    private static func printed(_ text: String) -> Int32 {
        let problem = Platform.write(text, to: Platform.standardOutput)
        guard problem != 0, problem != Platform.brokenPipe else { return ExitStatus.done.code }
        return failed("can't write standard output: \(Platform.message(problem))")
    }

    private static func failed(_ reason: String, _ status: ExitStatus = .other) -> Int32 {
        _ = Platform.write("haul: \(reason)\n", to: Platform.standardError)
        return status.code
    }

    /// Judges every line of a list; it never fetches.
    private static let judge = Downloader()

    private static let judges = Invocation.Judges(
        validate: { request, options throws(DownloadError) in
            try judge.validate(request, options: options)
        }, isDirectory: Platform.isDirectory, unreadable: Platform.reasonUnreadable, holds: Platform.holds,
        checkNetrc: { options throws(DownloadError) in try options.checkNetrc() },
        mayBeWritten: Platform.mayBeWritten)
}
