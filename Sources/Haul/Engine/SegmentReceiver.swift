import HaulCore
import HaulSystem
import Synchronization

/// Takes one request's answer: judges the head before any byte, then writes the body where it belongs.
///
/// The transport calls it on its own thread; the engine reads `sighting` and lowers `limit` from another.
final class SegmentReceiver: AnswerReceiver {
    private struct State {
        var expectation: AnswerExpectation
        /// What the next answer answers.
        var request: TransferRequest?
        /// Bytes before the wanted range that must equal what is on disk.
        var overlap: [UInt8] = []
        var writer: SegmentWriter?
        var answer: AcceptedAnswer?
        var refusal: AnswerRefusal?
        var failure: SystemError?
        /// File offset of the next byte of the body.
        var bodyPosition: Int64 = 0
        /// Bytes that came before `wanted`, and have to have this checksum from offset 0 on: they have left already.
        var passed: OrderedOutput.Committed?
        /// Checksum of those that came so far.
        var passedChecksum: UInt32 = 0
        /// Bytes of a refused answer's body that were thrown away.
        var drained = 0
        /// Digests of the whole file that redirects gave.
        var redirectDigests: [ContentDigest] = []
        /// Other places of the file that answers on the way named.
        var volunteered = VolunteeredMirrors()
    }

    /// What is wanted, as it was when the request was sent.
    let wanted: ByteRange
    private let isProbe: Bool
    /// Whether a file that fits into one block may come in before it has a place.
    private let gathersSmall: Bool
    private let slice: ResourceSlice
    private let wallClock: @Sendable () -> Int64
    private let state: Mutex<State>
    private let limit: Atomic<Int64>
    private let horizonOffset = Atomic<Int64>(.max)
    private let held = Atomic<Bool>(false)
    private let skipped = Atomic<Int64>(0)
    private let position: Atomic<Int64>
    private let received = Atomic<Int64>(0)
    private let isConnected = Atomic<Bool>(false)
    private let hops = Atomic<Int>(0)
    private let isAnswered = Atomic<Bool>(false)
    private let head: HeadSignal?

    /// Refused answers with bodies up to this many bytes are read to the end, which keeps the connection.
    private static let drainLimit: Int64 = 64 << 10

    init(
        wanted: ByteRange, of slice: ResourceSlice = .whole, expectation: AnswerExpectation, overlap: [UInt8],
        passed: OrderedOutput.Committed? = nil, writer: SegmentWriter?, probing head: HeadSignal?,
        gatheringSmall: Bool = false, wallClock: @escaping @Sendable () -> Int64
    ) {
        self.wanted = wanted
        self.slice = slice
        self.head = head
        isProbe = head != nil
        gathersSmall = gatheringSmall
        self.wallClock = wallClock
        limit = Atomic(wanted.upperBound)
        position = Atomic(wanted.lowerBound)
        state = Mutex(State(expectation: expectation, overlap: overlap, writer: writer, passed: passed))
    }

    // MARK: - The engine's side

    /// How far the request is.
    var sighting: TransferScheduler.Sighting {
        TransferScheduler.Sighting(
            position: position.load(ordering: .relaxed), isConnected: isConnected.load(ordering: .relaxed),
            isAnswered: isAnswered.load(ordering: .relaxed), skipped: skipped.load(ordering: .relaxed),
            isHeld: held.load(ordering: .relaxed), hops: hops.load(ordering: .relaxed))
    }

    /// Moves the offset at which the body is held back because its consumer is behind.
    ///
    /// - Returns: whether the body is held and may go on: then the transport must be told.
    func moveHorizon(to offset: Int64) -> Bool {
        horizonOffset.store(offset, ordering: .relaxed)
        guard position.load(ordering: .relaxed) < offset else { return false }
        return held.exchange(false, ordering: .acquiringAndReleasing)
    }

    /// Bytes of body that came, useful or not.
    var bytesReceived: Int64 { received.load(ordering: .relaxed) }

    /// The writer, once there is one.
    var writer: SegmentWriter? { state.withLock { $0.writer } }

    /// What the answer carries, once it was judged and taken.
    var answer: AcceptedAnswer? { state.withLock { $0.answer } }

    /// The answer and its body, where a whole small file has come in without a place.
    var gathered: (answer: AcceptedAnswer, writer: SegmentWriter)? {
        state.withLock { state in
            guard state.refusal == nil, state.failure == nil, let answer = state.answer, let writer = state.writer,
                writer.isDetached, state.bodyPosition == answer.end
            else { return nil }
            return (answer, writer)
        }
    }

    /// The address that was asked last.
    var url: ResourceURL? { state.withLock { $0.request?.url } }

    /// Digests of the whole file that the redirects on the way gave.
    var redirectDigests: [ContentDigest] { state.withLock { $0.redirectDigests } }

    /// Other places of the file that the answer and the redirects before it name.
    var volunteered: VolunteeredMirrors { state.withLock { $0.volunteered } }

    /// Whether the last request went out with a validator.
    var sentIfRange: Bool { state.withLock { $0.request?.fields["If-Range"] != nil } }

    /// Why the answer was refused, nil if it was not.
    var refusal: AnswerRefusal? { state.withLock { $0.refusal } }

    /// Why its bytes could not be written, nil if they could.
    var failure: SystemError? { state.withLock { $0.failure } }

    /// Where the useful part of the body ends.
    var currentLimit: Int64 { limit.load(ordering: .relaxed) }

    /// Lets the body end at `offset`: another worker goes on from there.
    func shorten(to offset: Int64) { limit.store(offset, ordering: .relaxed) }

    /// Prepares for the next request of a chain of redirects.
    func prepare(for expectation: AnswerExpectation, _ request: TransferRequest) {
        let isHop = state.withLock { state in
            defer { state.request = request }
            state.expectation = expectation
            state.refusal = nil
            state.drained = 0
            return state.request != nil
        }
        guard isHop else { return }
        // Somebody else is asked, perhaps: idle clocks start anew.
        isConnected.store(false, ordering: .relaxed)
        hops.add(1, ordering: .relaxed)
    }

    /// Gives a paused first answer its place: from now on its body is written.
    ///
    /// - Parameters:
    ///   - answer: the answer in hand, also one that was refused as the wrong part but serves from the beginning.
    ///   - writer: where its bytes go.
    ///   - limit: where the body's useful part ends.
    func admit(_ answer: AcceptedAnswer, to writer: SegmentWriter?, until limit: Int64) {
        state.withLock {
            $0.refusal = nil
            $0.answer = answer
            $0.writer = writer
            $0.bodyPosition = answer.start
        }
        self.limit.store(limit, ordering: .relaxed)
        position.store(writer?.position ?? limit, ordering: .relaxed)
        isAnswered.store(true, ordering: .relaxed)
    }

    /// Gives a first answer that is being gathered its file.
    ///
    /// - Returns: false if the answer waits for `admit`.
    func place(in part: PartFile) -> Bool {
        guard let writer, writer.isDetached else { return false }
        writer.attach(part)
        return true
    }

    /// Refuses a paused first answer: the rest of it is thrown away.
    func reject(_ refusal: AnswerRefusal) { state.withLock { $0.refusal = refusal } }

    // MARK: - The transport's side

    func connected() { isConnected.store(true, ordering: .relaxed) }

    func receive(_ head: ResponseHead) -> Flow {
        let flow: Flow = state.withLock { state in
            switch judge(head, &state) {
            case .use(let answer):
                state.answer = answer
                state.bodyPosition = answer.start
                guard isProbe else { return .proceed }
                if let base = state.request?.url { state.volunteered.add(answer.resource.links, from: base) }
                guard gathersSmall, let size = Self.smallSize(answer) else { return .pause }
                state.writer = SegmentWriter(gathering: size)
                limit.store(Int64(size), ordering: .relaxed)
                return .proceed
            case .refuse(.wholeBody(let answer)) where isProbe:
                state.answer = answer
                state.refusal = .wholeBody(answer)
                return .pause
            case .refuse(let refusal):
                state.refusal = refusal
                if case .redirect = refusal, slice.isWhole {
                    state.redirectDigests += ServerDigests.read(head.fields, from: .redirect)
                    if isProbe, let base = state.request?.url {
                        state.volunteered.add(MirrorLinks(head.fields), from: base)
                    }
                }
                // Who contradicts itself about the body's place may be wrong about its length: it would be waited for.
                if case .misplaced = refusal { return .stop }
                let length = head.fields["Content-Length"].flatMap { Int64($0) }
                return length.map { $0 > Self.drainLimit } ?? false ? .stop : .proceed
            }
        }
        if flow == .pause {
            self.head?.send()
        } else if refusal == nil {
            isAnswered.store(true, ordering: .relaxed)
        }
        return flow
    }

    /// Size of a file that the answer brings whole and that fits into one block; nil for any other.
    private static func smallSize(_ answer: AcceptedAnswer) -> Int? {
        guard answer.start == 0, let size = answer.resource.size, answer.end == size,
            size <= Int64(SegmentWriter.blockLength)
        else { return nil }
        return Int(size)
    }

    private func judge(_ head: ResponseHead, _ state: inout State) -> AnswerVerdict {
        let verdict = slice.inSlice(AnswerCheck.judge(head, against: state.expectation, at: wallClock()))
        guard case .refuse(.encoded(let coding)) = verdict, let path = state.request?.url.path,
            StoredCoding.explains(coding, path: path)
        else { return verdict }
        // `x.tar.gz` labelled as gzip is what is stored, and is wanted as it is.
        state.expectation.coding = coding
        return slice.inSlice(AnswerCheck.judge(head, against: state.expectation, at: wallClock()))
    }

    func receive(_ bytes: RawSpan) -> Flow {
        received.add(Int64(bytes.byteCount), ordering: .relaxed)
        return state.withLock { take(bytes, in: &$0) }
    }

    private func take(_ bytes: RawSpan, in state: inout State) -> Flow {
        if state.refusal != nil {
            state.drained += bytes.byteCount
            return state.drained > Int(Self.drainLimit) ? .stop : .proceed
        }
        guard let writer = state.writer else { return .stop }
        var rest = bytes
        if state.bodyPosition < writer.position {
            let early = Int(min(Int64(rest.byteCount), writer.position - state.bodyPosition))
            guard agrees(rest.extracting(first: early), at: state.bodyPosition, in: &state),
                equalsPassed(rest.extracting(first: early), at: state.bodyPosition, in: &state)
            else { return .stop }
            skipped.add(Int64(early), ordering: .relaxed)
            rest = rest.extracting(droppingFirst: early)
            state.bodyPosition += Int64(early)
        }
        let end = min(limit.load(ordering: .relaxed), state.answer?.end ?? .max)
        let room = end == .max ? .max : Int(clamping: max(0, end - state.bodyPosition))
        let isCut = rest.byteCount > room
        if isCut { rest = rest.extracting(first: room) }
        if !rest.isEmpty {
            do throws(SystemError) {
                try writer.append(rest)
            } catch {
                state.failure = error
                return .stop
            }
            state.bodyPosition += Int64(rest.byteCount)
            position.store(state.bodyPosition, ordering: .relaxed)
        }
        // At the announced end the transport itself ends the body, which keeps the connection.
        if isCut || (state.bodyPosition >= end && end != state.answer?.end) { return .stop }
        guard state.bodyPosition >= horizonOffset.load(ordering: .relaxed) else { return .proceed }
        held.store(true, ordering: .releasing)
        return .pause
    }

    /// Whether bytes that have left already came again as they were.
    private func equalsPassed(_ bytes: RawSpan, at offset: Int64, in state: inout State) -> Bool {
        guard let passed = state.passed else { return true }
        let first = Int(min(Int64(bytes.byteCount), max(0, -offset)))
        state.passedChecksum = HardwareCRC32C.checksum(
            bytes.extracting(droppingFirst: first), continuing: state.passedChecksum)
        guard offset + Int64(bytes.byteCount) == passed.length, state.passedChecksum != passed.checksum else {
            return true
        }
        state.refusal = .changed(reason: "the first \(passed.length) bytes, which have gone out, are others now", nil)
        return false
    }

    /// Whether bytes that came early equal what is on disk; where nothing is known they are merely skipped.
    private func agrees(_ bytes: RawSpan, at offset: Int64, in state: inout State) -> Bool {
        let start = wanted.lowerBound - Int64(state.overlap.count)
        for index in 0..<bytes.byteCount {
            let place = offset + Int64(index) - start
            guard place >= 0, place < state.overlap.count else { continue }
            if bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self) != state.overlap[Int(place)] {
                state.refusal = .changed(reason: "bytes at offset \(offset + Int64(index)) differ", nil)
                return false
            }
        }
        return true
    }
}
