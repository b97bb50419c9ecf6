import HaulCore
import HaulTestSupport
import Synchronization

/// A script whose second request gets what was left over from another answer, and is broken off before its end.
final class LeftoverTransport: Transport {
    private let script: ScriptedTransport
    private let error: TransportError
    private let sent = Atomic<Int>(0)

    /// Makes a transport.
    ///
    /// - Parameters:
    ///   - script: what carries all other requests.
    ///   - error: how the second one ends.
    init(_ script: ScriptedTransport, ending error: TransportError) {
        self.script = script
        self.error = error
    }

    func send(
        _ request: TransferRequest, on slot: Slot, to receiver: some ResponseReceiver
    ) async throws(TransportError) -> TransferSummary {
        guard sent.wrappingAdd(1, ordering: .relaxed).newValue == 2 else {
            return try await script.send(request, on: slot, to: receiver)
        }
        receiver.connected()
        var fields = HTTPFields()
        fields.append("Content-Length", "9")
        _ = receiver.receive(ResponseHead(status: 200, fields: fields))
        throw error
    }

    func resume(_ slot: Slot) { script.resume(slot) }

    func cancel(_ slot: Slot) { script.cancel(slot) }

    func parse(_ text: String, relativeTo base: ResourceURL?) throws(InvalidURL) -> ResourceURL {
        try script.parse(text, relativeTo: base)
    }
}
