import CFuzzer
import Glibc
import HaulTestSupport
import Synchronization

/// The program `HaulFuzz`: checks the readers of foreign bytes with one input after the other.
///
/// With libFuzzer linked in it is a fuzzer of that kind, and takes its arguments behind the target's name; without, it
/// changes the corpus at random, which a seed decides.
@main
enum Main {
    private static let usage = """
        usage: HaulFuzz TARGET [--corpus DIRECTORY] [--seconds N] [--seed N] [--input FILE]
        targets: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))
        """
    /// What libFuzzer checks; its call has no place for more than the bytes.
    private static let driven = Mutex(FuzzTarget.head)

    /// Runs the program and exits with its status.
    static func main() {
        var words = Array(CommandLine.arguments.dropFirst())
        guard let name = words.first, let target = FuzzTarget(rawValue: name) else { stop(usage, 2) }
        words.removeFirst()
        if haul_fuzzer_is_linked() != 0 {
            drive(target)
        } else {
            search(target, words)
        }
    }

    /// Checks an input; a finding ends the process as a crash does.
    private static func check(_ bytes: [UInt8], _ target: FuzzTarget) {
        do throws(Finding) {
            try target.check(bytes)
        } catch {
            stop("\(target.rawValue): \(error)\ninput: \(bytes)")
        }
    }

    // MARK: - libFuzzer

    private static func drive(_ target: FuzzTarget) -> Never {
        driven.withLock { $0 = target }
        // The target's name would be taken for a corpus.
        var arguments = CommandLine.unsafeArgv
        var rest: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
        arguments[1] = arguments[0]
        arguments += 1
        rest = arguments
        var count = CommandLine.argc - 1
        exit(
            haul_fuzzer_run(&count, &rest) { start, count in
                let bytes = Array(UnsafeBufferPointer(start: start, count: Int(count)))
                Main.check(bytes, Main.driven.withLock { $0 })
                return 0
            })
    }

    // MARK: - Without it

    private static func search(_ target: FuzzTarget, _ words: [String]) {
        var corpus: [[UInt8]] = []
        var seconds = 2.0
        var seed = UInt64.random(in: 0...999_999_999)
        var rest = words[...]
        while let option = rest.popFirst(), let value = rest.popFirst() {
            switch option {
            case "--corpus":
                for name in FileContents.names(in: value) {
                    if let bytes = try? FileContents.read("\(value)/\(name)") { corpus.append(bytes) }
                }
            case "--input":
                guard let bytes = try? FileContents.read(value) else { stop("can't read \(value)", 2) }
                check(bytes, target)
                return print("\(target.rawValue): nothing found in \(value)")
            case "--seconds": seconds = Double(value) ?? seconds
            case "--seed": seed = UInt64(value) ?? seed
            default: stop(usage, 2)
            }
        }
        guard !corpus.isEmpty else { stop("no corpus: give its directory with --corpus", 2) }
        for bytes in corpus { check(bytes, target) }
        var mutator = SeededMutator(corpus: corpus, seed: seed)
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds)
        var executions = corpus.count
        // For a crash, of which nothing else can speak.
        print("\(target.rawValue): seed \(seed)")
        fflush(nil)
        while clock.now < end {
            for _ in 0..<100 { check(mutator.next(), target) }
            executions += 100
        }
        print("\(target.rawValue): \(executions) inputs, nothing found")
    }

    /// Says something on standard error and ends: with a status, or as a crash.
    private static func stop(_ text: String, _ status: Int32? = nil) -> Never {
        let bytes = Array((text + "\n").utf8)
        _ = write(2, bytes, bytes.count)
        if let status { exit(status) }
        abort()
    }
}
