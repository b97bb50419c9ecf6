import HaulCore

/// Finds out how a server behaves: a few small requests, and four that are held open together.
struct ServerDiagnosis<Network: Transport>: Sendable {
    let engine: DownloadEngine<Network>
    let sender: RequestSender<Network>

    init(_ engine: DownloadEngine<Network>) {
        self.engine = engine
        sender = DownloadRun(engine).sender
    }

    /// What one request brought.
    private struct Inspection: Sendable {
        let findings: InspectingReceiver.Findings
        let sent: RequestSender<Network>.Sent
    }

    /// Asks the server and writes the report.
    ///
    /// - Throws: why there is no answer with a file in it.
    func run() async throws(DownloadError) -> ServerReport {
        let start = engine.time.now()
        var first = await inspect(ByteRange(0, 64 << 10), at: engine.url)
        // An empty file has no range to serve, and some servers serve none of a file that is shorter.
        if first.findings.refusal?.mayMeanRange == true { first = await inspect(nil, at: engine.url) }
        if Task.isCancelled { throw DownloadError(.cancelled, "interrupted") }
        let answer = try answer(of: first)
        var report = ServerReport()
        report.addresses = first.findings.addresses.map(\.redacted)
        if case .success(let summary) = first.sent.outcome {
            report.remoteAddress = summary.remoteAddress
            report.protocolName = summary.protocolName
        }
        report.status = first.findings.head?.status ?? 0
        report.timeToFirstByte = (first.findings.time ?? start) - start
        report.suggestedName = SuggestedName.choose(
            contentDisposition: answer.resource.contentDisposition, path: engine.url.path,
            finalPath: first.sent.url.path)
        describe(answer.resource, in: &report)
        let advertised = first.findings.head?.fields.list("Accept-Ranges").contains { HTTPFields.equal($0, "bytes") }
        if await servesRanges(answer, first.sent.url) {
            report.ranges = .served
            report.admissions = await admissions(at: first.sent.url, size: answer.resource.size ?? 0)
        } else {
            report.ranges = advertised == true || answer.isPartial ? .onlyAdvertised : .none
        }
        if Task.isCancelled { throw DownloadError(.cancelled, "interrupted") }
        advise(&report)
        return report
    }

    private func describe(_ resource: RemoteResource, in report: inout ServerReport) {
        report.size = resource.size
        report.mediaType = resource.mediaType
        report.entityTag = resource.validators.entityTag?.text
        report.lastModified = resource.validators.lastModified
        report.validatorStrength =
            resource.validators.isEmpty ? .none : resource.validators.ifRangeValue == nil ? .weak : .strong
        report.digests = resource.digests.map { Checksum($0) }
    }

    private func answer(of inspection: Inspection) throws(DownloadError) -> AcceptedAnswer {
        if let reason = inspection.sent.redirectRefused {
            throw DownloadError(.refused(status: 302), "\(engine.url.redacted): \(reason)", url: engine.url.redacted)
        }
        if let refusal = inspection.findings.refusal {
            throw DownloadError(TransferFailure.refused(refusal), url: engine.url, at: inspection.sent.url)
        }
        if let answer = inspection.findings.answer { return answer }
        guard case .failure(let error) = inspection.sent.outcome else {
            throw DownloadError(.unreachable, "\(engine.url.redacted): no answer", url: engine.url.redacted)
        }
        let failure: TransferFailure = error == .cancelled ? .stalled(attempts: 1) : .network(error, attempts: 1)
        throw DownloadError(failure, url: engine.url, advice: "check the address and the network")
    }

    /// Whether a range in the middle comes as asked; the beginning proves nothing, since a whole file has it too.
    private func servesRanges(_ answer: AcceptedAnswer, _ url: ResourceURL) async -> Bool {
        guard answer.isPartial, let size = answer.resource.size else { return false }
        let middle = size / 2
        let range = ByteRange(middle, min(size, middle + 1024))
        let second = await inspect(range, at: url)
        return second.findings.refusal == nil && second.findings.answer?.isPartial == true
            && second.findings.answer?.start == range.lowerBound
    }

    // MARK: - Requests

    private func inspect(_ range: ByteRange?, at url: ResourceURL) async -> Inspection {
        let expectation = AnswerExpectation(requested: range, comparesValidators: false)
        let receiver = InspectingReceiver(
            .drain, expectation, time: engine.time, wallClock: engine.wallClock)
        let sent = await send(question(range, expectation, url, isFresh: false), to: receiver, on: 0)
        return Inspection(findings: receiver.findings, sent: sent)
    }

    private func question(
        _ range: ByteRange?, _ expectation: AnswerExpectation, _ url: ResourceURL, isFresh: Bool
    ) -> RequestSender<Network>.Question {
        RequestSender.Question(
            range: range, expectation: expectation, validatorOrigin: nil, url: url, needsFreshConnection: isFresh,
            usesIfRange: false)
    }

    private func send(
        _ question: RequestSender<Network>.Question, to receiver: InspectingReceiver, on index: Int
    ) async -> RequestSender<Network>.Sent {
        let slot = Slot(engine.firstSlot + index)
        let (time, network) = (engine.time, engine.network)
        let limit = engine.options.connectTimeout + engine.options.stallTimeout
        return await withTaskGroup(of: RequestSender<Network>.Sent?.self) { group in
            group.addTask { await sender.send(question, on: slot, to: receiver) }
            group.addTask {
                await time.sleep(limit)
                if !Task.isCancelled { network.cancel(slot) }
                return nil
            }
            var sent = RequestSender<Network>.Sent(
                outcome: .failure(.cancelled), url: question.url, redirectRefused: nil)
            while let result = await group.next() {
                guard let result else { continue }
                sent = result
                group.cancelAll()
            }
            return sent
        }
    }

    /// Opens four connections, one after the other, none of which ends before the last has its answer.
    private func admissions(at url: ResourceURL, size: Int64) async -> [ServerReport.Admission] {
        await withTaskGroup(of: Void.self) { group in
            var admissions: [ServerReport.Admission] = []
            for number in 1...4 where !Task.isCancelled {
                // To the end of the file, so that there is more to send than buffers on the way can hold.
                let range = ByteRange(min(Int64(number - 1) * 1024, max(0, size - 1)), max(1, size))
                let expectation = AnswerExpectation(requested: range, comparesValidators: false)
                let signal = HeadSignal()
                let receiver = InspectingReceiver(
                    .hold, expectation, time: engine.time, wallClock: engine.wallClock, signal: signal)
                let ending = Ending()
                // The first goes on with the connection that is there, which would be counted beside it otherwise.
                let isFirst = number == 1
                group.addTask {
                    let sent = await send(
                        question(range, expectation, url, isFresh: !isFirst), to: receiver, on: isFirst ? 0 : number)
                    if case .failure(let error) = sent.outcome {
                        ending.note(error == .cancelled ? "no answer" : error.summary)
                    }
                    signal.send()
                }
                await signal.wait()
                guard number > 1 else { continue }
                let findings = receiver.findings
                var refusal = findings.refusal?.summary
                if findings.answer == nil, refusal == nil { refusal = ending.reason ?? "no answer" }
                admissions.append(ServerReport.Admission(number: number, refusal: refusal))
                if refusal != nil { break }
            }
            group.cancelAll()
            return admissions
        }
    }

    // MARK: - Advice

    private func advise(_ report: inout ServerReport) {
        let refused = report.admissions.first { $0.refusal != nil }
        if report.size == nil {
            report.advice = "the server does not say how long the file is, so there is nothing to split"
        } else if report.ranges != .served {
            report.advice = "the server does not serve ranges, so one connection has to fetch the whole file"
        } else if let size = report.size, size / 2 < engine.options.minimumSplitSize {
            report.advice = "the file is too small for a second connection to pay"
        } else if let refused {
            report.advisedConnections = refused.number - 1
            let ordinal = refused.number == 2 ? "second" : refused.number == 3 ? "third" : "fourth"
            report.advice = "the server refuses a \(ordinal) connection (\(refused.refusal ?? ""))"
        } else {
            report.advisedConnections = nil
            report.advice = "ranges are served, and four connections at once were admitted (no more were tried)"
            if report.validatorStrength != .strong {
                report.advice += "; give --checksum, since no strong validator tells versions apart"
            }
        }
    }
}
