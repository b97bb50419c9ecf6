import Haul

/// The requests of a run, in order: those of the command line, then those of metalinks and of input files as they are
/// needed.
struct RequestSource: AsyncSequence, Sendable {
    typealias Element = DownloadRequest
    typealias Failure = Never

    /// What may go wrong with a metalink or an input file.
    enum Trouble: Sendable {
        /// A download is left out, or the rest of a list: what can't be used.
        case problem(DownloadError)
        /// A download is left out, and nobody is told why.
        case unnamed
        /// A line is passed over.
        case warning(String)
    }

    /// Most lines of a file that are named when they can't be used; what is no list at all has more.
    private static let mostProblems = 100

    let requests: [DownloadRequest]
    let metalinks: [MetalinkEntries]
    let files: [InputFile]
    let template: RequestTemplate
    /// Waits until more may be told about, so that a list of any length does not fill the memory with what is told.
    let room: @Sendable () async -> Void
    let onTrouble: @Sendable (Trouble) -> Void
    /// Called before the first request when the only metalink turns out to be about one file, and there is nothing beside it.
    let onSingle: @Sendable () -> Void

    func makeAsyncIterator() -> Iterator { Iterator(source: self, given: requests[...]) }

    /// Reads the files while it hands out requests.
    struct Iterator: AsyncIteratorProtocol {
        let source: RequestSource
        var given: ArraySlice<DownloadRequest>
        private var metalinks: ArraySlice<MetalinkEntries>
        private var entries: MetalinkEntries.Iterator?
        private var files: ArraySlice<InputFile>
        /// The file that is being read.
        private var file: InputFile?
        /// Read to see whether the first is alone.
        private var ahead: DownloadRequest?
        private var mayBeSingle: Bool
        private var metalinkProblems = 0
        private var splitter = LineSplitter()
        private var parser = InputParser()
        private var findings: [InputParser.Finding] = []
        private var next = 0
        private var isAtEnd = false
        private var problems = 0

        init(source: RequestSource, given: ArraySlice<DownloadRequest>) {
            self.source = source
            self.given = given
            metalinks = source.metalinks[...]
            files = source.files[...]
            mayBeSingle = metalinks.count == 1 && given.isEmpty && files.isEmpty
        }

        mutating func next() async -> DownloadRequest? { await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async -> DownloadRequest? {
            await source.room()
            if let request = given.popFirst() { return request }
            if !metalinks.isEmpty || entries != nil || ahead != nil, let request = await nextOfMetalink() {
                return request
            }
            while let file = file ?? nextFile() {
                while next < findings.count {
                    next += 1
                    if let request = request(findings[next - 1], file) { return request }
                }
                findings.removeAll(keepingCapacity: true)
                next = 0
                if isAtEnd { self.file = nil } else { await readMore(file) }
            }
            return nil
        }

        /// Begins with the next file; nil if there is none.
        private mutating func nextFile() -> InputFile? {
            file = files.popFirst()
            (splitter, parser, isAtEnd, problems) = (LineSplitter(), InputParser(), false, 0)
            return file
        }

        /// The next request of the metalink; nil when it has no more.
        private mutating func nextOfMetalink() async -> DownloadRequest? {
            if let request = ahead.take() { return request }
            let request = await readMetalink()
            guard mayBeSingle else { return request }
            mayBeSingle = false
            if request != nil { ahead = await readMetalink() }
            if ahead == nil, metalinkProblems + (request == nil ? 0 : 1) == 1 { source.onSingle() }
            return request
        }

        private mutating func readMetalink() async -> DownloadRequest? {
            while true {
                if entries == nil { entries = metalinks.popFirst()?.makeAsyncIterator() }
                guard entries != nil else { return nil }
                do throws(DownloadError) {
                    switch try await entries?.next() {
                    case nil: entries = nil
                    case .request(let request): return request
                    case .notice(let text): source.onTrouble(.warning(text))
                    case .unusable(let error):
                        tell(error)
                        await source.room()
                    }
                } catch {
                    if error.code != .cancelled { tell(error) }
                    entries = nil
                }
            }
        }

        private mutating func tell(_ error: DownloadError) {
            metalinkProblems += 1
            source.onTrouble(.problem(error))
        }

        private mutating func readMore(_ file: InputFile) async {
            var bytes: [UInt8] = []
            do throws(UsageError) { bytes = try await file.read() } catch {
                tell(error.message)
            }
            var lines: [LineSplitter.Line] = []
            splitter.take(bytes) { lines.append($0) }
            if splitter.isEndless {
                tell("\(file.name):\(parser.nextLine): the line has no end: is it a list of addresses?")
            }
            // What can't be used may go on for ever: a signal ends it.
            if bytes.isEmpty || splitter.isEndless || Task.isCancelled {
                isAtEnd = true
                file.close()
                if !splitter.isEndless, let last = splitter.finish() { lines.append(last) }
            }
            for line in lines { parser.take(line) { findings.append($0) } }
            if isAtEnd { parser.finish { findings.append($0) } }
        }

        /// The request that a finding stands for, if it does.
        private mutating func request(_ finding: InputParser.Finding, _ file: InputFile) -> DownloadRequest? {
            switch finding {
            case .warning(let line, let message):
                source.onTrouble(.warning("\(file.name):\(line): \(message)"))
            case .problem(let line, let message): tell(line, message, file)
            case .item(let item):
                guard !item.isBroken else { return nil }
                switch source.template.request(item) {
                case .success(let request): return request
                case .failure(let problem): tell(problem.line, problem.message, file)
                }
            }
            return nil
        }

        private mutating func tell(_ line: Int, _ message: String, _ file: InputFile) {
            problems += 1
            guard problems > RequestSource.mostProblems else { return tell("\(file.name):\(line): \(message)") }
            if problems == RequestSource.mostProblems + 1 {
                source.onTrouble(
                    .warning(
                        "\(file.name):\(line): further lines that can't be used are only counted: "
                            + "is it a list of addresses?"))
            }
            source.onTrouble(.unnamed)
        }

        private func tell(_ message: String) {
            source.onTrouble(.problem(DownloadError(.invalidRequest, message)))
        }
    }
}
