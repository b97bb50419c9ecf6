import HaulCore

/// A transfer for one type of receiver: the only place where that type is known.
final class ReceivingTransfer<Receiver: ResponseReceiver>: Transfer {
    private let receiver: Receiver

    /// Makes a transfer that has not been started.
    init(
        id: TransferID, slot: Slot, request: TransferRequest, receiver: Receiver, handle: PreparedHandle,
        sockets: SocketRegister, pacer: SharedPacer, continuation: Continuation
    ) {
        self.receiver = receiver
        super.init(
            id: id, slot: slot, request: request, handle: handle, sockets: sockets, pacer: pacer,
            continuation: continuation)
    }

    override func reportConnected() { receiver.connected() }

    override func deliver(_ head: ResponseHead) -> Flow { receiver.receive(head) }

    override func deliver(_ bytes: RawSpan) -> Flow { receiver.receive(bytes) }
}
