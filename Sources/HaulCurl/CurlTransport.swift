package import HaulCore
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The network by libcurl: a few threads, each with its own connections, made when first needed.
///
/// Plain http has one thread, which is the cheapest way to move bytes (measured), apart from tasks that run where their
/// answers come in: these have more to do than to move bytes, and a thread for each core, of which each has its own
/// connections. Decryption needs more too: https has as many threads as there are cores, and a slot keeps its thread,
/// because idle connections belong to it. Addresses of hosts, cookies and TLS sessions are common to all.
///
/// Dropping the last reference ends the threads; a running `send` holds one.
@safe package final class CurlTransport: PacedTransport {
    private let share: ShareHandle
    private let pacer = SharedPacer()
    private let plainLoopCount: Int
    private let secureLoopCount: Int
    /// Those of plain http, then those of https, as far as they have been needed.
    private let loops: Mutex<[TransferLoop?]>

    /// Most threads for https, however many cores there are.
    private static let mostSecureLoops = 8
    /// Most threads for tasks that run where answers come in: with more, they wait for one another in one directory.
    private static let mostPlainLoops = 4

    /// Makes a transport; no thread yet.
    ///
    /// - Throws: `TransportError.transportFailure` when libcurl is missing something that haul needs.
    package init() throws(TransportError) {
        _ = try CurlLibrary.load()
        share = try ShareHandle()
        let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        plainLoopCount = min(cores, Self.mostPlainLoops)
        secureLoopCount = min(cores, Self.mostSecureLoops)
        loops = Mutex([TransferLoop?](repeating: nil, count: plainLoopCount + secureLoopCount))
    }

    /// Most bytes of bodies a second that all transfers together take, nil for no limit.
    package var maximumRate: Int64? {
        get { pacer.rate }
        set { pacer.rate = newValue }
    }

    deinit {
        for loop in startedLoops { loop.stop() }
    }

    package func send(
        _ request: TransferRequest, on slot: Slot, to receiver: some ResponseReceiver
    ) async throws(TransportError) -> TransferSummary {
        defer { withExtendedLifetime(self) {} }
        let loop = try loop(of: slot, isSecure: request.url.isSecure)
        return try await loop.send(request, on: slot, to: receiver)
    }

    /// One of several threads of plain http; those of https have enough to do.
    package func executor(isSecure: Bool, lane: Int) -> (any ArrivalExecutor)? {
        if isSecure { return nil }
        return (try? loop(number: Int(UInt(bitPattern: lane) % UInt(plainLoopCount))))?.tasks
    }

    package func resume(_ slot: Slot) {
        for loop in loops(of: slot) { loop.resume(slot) }
    }

    package func cancel(_ slot: Slot) {
        for loop in loops(of: slot) { loop.cancel(slot) }
    }

    /// The loops that may carry a transfer of `slot`.
    private func loops(of slot: Slot) -> [TransferLoop] {
        let secure = secureNumber(of: slot)
        return loops.withLock { loops in
            (loops[..<plainLoopCount] + [loops[secure]]).compactMap(\.self)
        }
    }

    package func parse(_ text: String, relativeTo base: ResourceURL?) throws(InvalidURL) -> ResourceURL {
        try CurlURLParser.parse(text, relativeTo: base)
    }

    /// The loops that have been needed so far.
    var startedLoops: [TransferLoop] { loops.withLock { $0.compactMap(\.self) } }

    /// The loop that carries a transfer: over plain http the caller's own, if it runs on one, else the first.
    private func loop(of slot: Slot, isSecure: Bool) throws(TransportError) -> TransferLoop {
        if isSecure { return try loop(number: secureNumber(of: slot)) }
        let own = loops.withLock { loops -> TransferLoop? in
            for number in 0..<plainLoopCount { if let loop = loops[number], loop.isCurrent { return loop } }
            return nil
        }
        if let own { return own }
        return try loop(number: 0)
    }

    private func secureNumber(of slot: Slot) -> Int {
        plainLoopCount + Int(UInt(bitPattern: slot.number) % UInt(secureLoopCount))
    }

    private func loop(number: Int) throws(TransportError) -> TransferLoop {
        let result: Result<TransferLoop, TransportError> = loops.withLock { loops in
            if let loop = loops[number] { return .success(loop) }
            do throws(TransportError) {
                let isOneOfMany = (1..<plainLoopCount).contains(number)
                let loop = try TransferLoop.start(
                    number: number, share: share, pacer: pacer, keepsConnections: !isOneOfMany)
                loops[number] = loop
                return .success(loop)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
