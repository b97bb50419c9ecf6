/// A transport that shares one rate among all its transfers.
package protocol PacedTransport: Transport {
    /// Most bytes of bodies a second that all transfers together take, nil for no limit.
    var maximumRate: Int64? { get nonmutating set }
}

/// A transport whose kind is chosen while the program runs; erased once a request and not once a chunk.
package struct AnyTransport: PacedTransport {
    private let base: any PacedTransport

    /// Wraps a transport.
    package init(_ base: any PacedTransport) { self.base = base }

    package var maximumRate: Int64? {
        get { base.maximumRate }
        nonmutating set { base.maximumRate = newValue }
    }

    package func send(
        _ request: TransferRequest, on slot: Slot, to receiver: some ResponseReceiver
    ) async throws(TransportError) -> TransferSummary {
        try await base.send(request, on: slot, to: receiver)
    }

    package func executor(isSecure: Bool) -> (any ArrivalExecutor)? { base.executor(isSecure: isSecure) }

    package func resume(_ slot: Slot) { base.resume(slot) }

    package func cancel(_ slot: Slot) { base.cancel(slot) }

    package func parse(_ text: String, relativeTo base: ResourceURL?) throws(InvalidURL) -> ResourceURL {
        try self.base.parse(text, relativeTo: base)
    }
}
