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
/// Plain http has one thread, which is the cheapest way to move bytes (measured). Decryption needs more: https has as
/// many threads as there are cores, and a slot keeps its thread, because idle connections belong to it. Addresses of
/// hosts, cookies and TLS sessions are common to all.
///
/// Dropping the last reference ends the threads; a running `send` holds one.
@safe package final class CurlTransport: PacedTransport {
    private let share: ShareHandle
    private let pacer = SharedPacer()
    private let secureLoopCount: Int
    private let loops = Mutex<[Int: TransferLoop]>([:])

    /// Most threads for https, however many cores there are.
    private static let mostSecureLoops = 8

    /// Makes a transport; no thread yet.
    ///
    /// - Throws: `TransportError.transportFailure` when libcurl is missing something that haul needs.
    package init() throws(TransportError) {
        _ = try CurlLibrary.load()
        share = try ShareHandle()
        secureLoopCount = min(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), Self.mostSecureLoops)
    }

    /// Most bytes of bodies a second that all transfers together take, nil for no limit.
    package var maximumRate: Int64? {
        get { pacer.rate }
        set { pacer.rate = newValue }
    }

    deinit {
        for loop in loops.withLock({ $0.values }) { loop.stop() }
    }

    package func send(
        _ request: TransferRequest, on slot: Slot, to receiver: some ResponseReceiver
    ) async throws(TransportError) -> TransferSummary {
        defer { withExtendedLifetime(self) {} }
        let loop = try loop(number: loopNumber(of: slot, isSecure: request.url.isSecure))
        return try await loop.send(request, on: slot, to: receiver)
    }

    /// Plain http has one thread, whatever the slot; that of https has enough to do.
    package func executor(isSecure: Bool) -> (any ArrivalExecutor)? {
        isSecure ? nil : (try? loop(number: 0))?.tasks
    }

    package func resume(_ slot: Slot) {
        for loop in loops(of: slot) { loop.resume(slot) }
    }

    package func cancel(_ slot: Slot) {
        for loop in loops(of: slot) { loop.cancel(slot) }
    }

    /// The loops that may carry a transfer of `slot`.
    private func loops(of slot: Slot) -> [TransferLoop] {
        let numbers = [loopNumber(of: slot, isSecure: false), loopNumber(of: slot, isSecure: true)]
        return loops.withLock { loops in numbers.compactMap { loops[$0] } }
    }

    package func parse(_ text: String, relativeTo base: ResourceURL?) throws(InvalidURL) -> ResourceURL {
        try CurlURLParser.parse(text, relativeTo: base)
    }

    /// The loops that have been needed so far.
    var startedLoops: [TransferLoop] { loops.withLock { Array($0.values) } }

    /// 0 is the loop of plain http.
    private func loopNumber(of slot: Slot, isSecure: Bool) -> Int {
        guard isSecure else { return 0 }
        return 1 + Int(UInt(bitPattern: slot.number) % UInt(secureLoopCount))
    }

    private func loop(number: Int) throws(TransportError) -> TransferLoop {
        let result: Result<TransferLoop, TransportError> = loops.withLock { loops in
            if let loop = loops[number] { return .success(loop) }
            do throws(TransportError) {
                let loop = try TransferLoop.start(number: number, share: share, pacer: pacer)
                loops[number] = loop
                return .success(loop)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
