import Glibc
import Haul
import HaulCore
import HaulOrigin
import HaulSystem
import HaulTestSupport
import Synchronization

/// Takes one file through its runs.
struct SoakCaseRunner: Sendable {
    /// Longest run: nothing that an origin does here takes so long, even on a busy machine.
    private static let patience = Duration.seconds(180)
    /// How many of the origin's seconds pass in one.
    private static let speed = 10.0

    /// The file.
    let soakCase: SoakCase
    /// The downloader that all files share.
    let downloader: Downloader

    /// Runs it all.
    ///
    /// - Returns: what happened.
    func run() async -> SoakTally {
        var tally = SoakTally()
        tally.files = 1
        do {
            try await run(&tally)
        } catch {
            tally.faults.append("\(error)")
        }
        tally.faults = tally.faults.map { "file \(soakCase.number), \(soakCase.behaviors): \($0)" }
        return tally
    }

    private func run(_ tally: inout SoakTally) async throws {
        let directory = try TemporaryDirectory()
        defer { directory.cleanUp() }
        var configuration = OriginConfiguration([soakCase.misbehaving])
        configuration.speed = Self.speed
        configuration.totalRate = soakCase.rate.map { Int64(Double($0) / Self.speed) }
        let server = try OriginServer(configuration)
        let checksum = try soakCase.hasDigest ? Checksum(digest()) : nil

        var isDelivered = false
        for run in soakCase.runs where !isDelivered {
            let result = await perform(run, server, directory, checksum)
            isDelivered = note(result, directory, soakCase.versions, &tally)
        }
        if !isDelivered {
            // What was broken off or spoilt is made good.
            server.replace(soakCase.resource)
            let last = SoakCase.Run(
                mishap: .none, percent: 0, delay: .zero, connections: soakCase.runs.last?.connections)
            let result = await perform(last, server, directory, checksum)
            let isRight = note(result, directory, [soakCase.resource], &tally)
            if !isRight { tally.faults.append("no file from an honest origin: \(result)") }
        }
        await BackgroundThread.run { server.stop() }
    }

    /// Counts a run and looks at what it left.
    ///
    /// - Returns: whether the file is there and right.
    private func note(
        _ result: SoakRunResult, _ directory: TemporaryDirectory, _ versions: [OriginResource],
        _ tally: inout SoakTally
    ) -> Bool {
        tally.runs += 1
        let names = FileContents.names(in: directory.path)
        let path = directory.file("f")
        switch result {
        case .delivered:
            tally.delivered += 1
            if names != ["f"] { tally.faults.append("left \(names) after success") }
            let allowed = soakCase.hasDigest ? [soakCase.resource] : versions
            let differences = allowed.map { FileContents.difference(of: path, from: $0) }
            guard differences.contains(nil) else {
                tally.faults.append("wrong bytes: \(differences.compactMap(\.self))")
                return false
            }
            tally.bytes += FileContents.size(of: path) ?? 0
            return true
        case .brokenOff:
            tally.cancelled += 1
            // A sync of the directory that takes longer than the program may take to end: the name has come before.
            if soakCase.usesProgram, isRight(path) { return false }
        case .failed(let name): tally.failures[name, default: 0] += 1
        case .killed:
            tally.killed += 1
            // The name may have come before the signal.
            if names.contains("f"), !isRight(path) {
                tally.faults.append("wrong bytes under the final name of a killed run")
            }
            return false
        case .fault(let text): tally.faults.append(text)
        }
        if names.contains("f") { tally.faults.append("a file under the final name after \(result)") }
        return false
    }

    private func isRight(_ path: String) -> Bool {
        let allowed = soakCase.hasDigest ? [soakCase.resource] : soakCase.versions
        return allowed.contains { FileContents.difference(of: path, from: $0) == nil }
    }

    // MARK: - Runs

    private func perform(
        _ run: SoakCase.Run, _ server: OriginServer, _ directory: TemporaryDirectory, _ checksum: Checksum?
    ) async -> SoakRunResult {
        let moment = server.bytesSent + soakCase.resource.size * run.percent / 100
        if soakCase.usesProgram {
            return await runProgram(run, server, moment, directory, checksum)
        }
        return await runLibrary(run, server, moment, directory, checksum)
    }

    private func runLibrary(
        _ run: SoakCase.Run, _ server: OriginServer, _ moment: Int64, _ directory: TemporaryDirectory,
        _ checksum: Checksum?
    ) async -> SoakRunResult {
        let request = DownloadRequest(
            server.url(for: soakCase.resource.path), to: directory.file("f"), expecting: checksum)
        var options = DownloadOptions()
        options.connections = run.connections
        options.minimumSplitSize = soakCase.split
        options.stallTimeout = .seconds(3)
        let download = downloader.start(request, options: options)
        let isOver = Flag()
        let hangs = Task { await Self.wait(Self.patience, until: { isOver.isSet }) { download.cancel() } }
        let mishap = Task {
            guard run.mishap != .none else { return }
            _ = await Self.wait(run.delay, until: { isOver.isSet || server.bytesSent >= moment }) {}
            download.cancel()
        }
        let result: SoakRunResult
        do throws(DownloadError) {
            _ = try await download.receipt
            result = .delivered
        } catch {
            result = SoakRunResult(error, wasCancelled: run.mishap != .none)
        }
        isOver.set()
        await mishap.value
        return await hangs.value ? .fault("took longer than \(Self.patience)") : result
    }

    private func runProgram(
        _ run: SoakCase.Run, _ server: OriginServer, _ moment: Int64, _ directory: TemporaryDirectory,
        _ checksum: Checksum?
    ) async -> SoakRunResult {
        var words = ["--json", "--no-config", "--stall-timeout", "3", "--min-split-size", "\(soakCase.split)"]
        if let connections = run.connections { words += ["-n", "\(connections)"] }
        if let checksum { words += ["--checksum", "\(checksum)"] }
        words += ["-o", "f", server.url(for: soakCase.resource.path)]
        do {
            let process = try ProcessRunner(
                HaulBinary.path, words, environment: ["no_proxy": "*"], directory: directory.path,
                timeout: Self.patience)
            if run.mishap != .none {
                _ = await Self.wait(run.delay, until: { process.hasEnded || server.bytesSent >= moment }) {}
                process.signal(run.mishap == .kill ? SIGKILL : SIGINT)
            }
            let outcome = await process.wait()
            switch outcome.status {
            case _ where outcome.timedOut: return .fault("took longer than \(Self.patience)")
            case .signal(SIGKILL) where run.mishap == .kill: return .killed
            // It came before the program's first instruction.
            case .signal(SIGINT) where run.mishap == .cancel && outcome.output.isEmpty: return .brokenOff
            case .signal(let signal): return .fault("ended by signal \(signal): \(outcome.errorText)")
            case .code(0): return .delivered
            case .code(let code):
                return SoakRunResult(
                    exitStatus: code, errors: outcome.errorText, wasInterrupted: run.mishap == .cancel)
            }
        } catch {
            return .fault("\(error)")
        }
    }

    // MARK: - Parts

    private func digest() throws -> ContentDigest {
        var digest = try MessageDigest(.sha256)
        var offset: Int64 = 0
        while offset < soakCase.resource.size {
            let end = min(offset + (1 << 20), soakCase.resource.size)
            Self.add(soakCase.resource.content.bytes(offset..<end), to: &digest)
            offset = end
        }
        return try digest.value()
    }

    private static func add(_ bytes: [UInt8], to digest: inout MessageDigest) { digest.update(bytes.span.bytes) }

    /// Waits until something holds, or for a time.
    ///
    /// - Parameters:
    ///   - duration: the longest wait.
    ///   - condition: what is waited for.
    ///   - late: called when the time is over first.
    /// - Returns: whether it was.
    private static func wait(
        _ duration: Duration, until condition: @Sendable () -> Bool, late: @Sendable () -> Void
    ) async -> Bool {
        let clock = ContinuousClock()
        let deadline = clock.now + duration
        while !condition() {
            guard clock.now < deadline else {
                late()
                return true
            }
            try? await clock.sleep(for: .milliseconds(duration > .seconds(10) ? 50 : 2))
        }
        return false
    }

    /// Something that is so from some moment on.
    private final class Flag: Sendable {
        private let state = Atomic(false)

        var isSet: Bool { state.load(ordering: .acquiring) }

        func set() { state.store(true, ordering: .releasing) }
    }
}
