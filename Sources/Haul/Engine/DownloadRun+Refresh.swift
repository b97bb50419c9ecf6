import HaulCore
import HaulSystem

/// Addresses that expire under way: whoever made the request may give another.
extension DownloadRun {
    /// A new address, and what may be said to it.
    struct FreshAddress: Sendable {
        let url: ResourceURL
        let scope: CredentialScope
    }

    /// What came of asking for a new address.
    enum Refresh: Sendable {
        /// It has the same file, as far as can be told.
        case same(FreshAddress)
        /// It has another file, and why.
        case changed(String)
        /// There is none.
        case failed(DownloadError)
    }

    /// What has to be known to ask for a new address.
    var expiry: (link: ExpiredLink, refusal: DownloadError)? {
        guard case .asked(let link, let refusal) = refreshing else { return nil }
        return (link, refusal)
    }

    /// Whether a refusal at the address that was asked for means that it has expired, and another can be had.
    ///
    /// Then the scheduler is told what it is told of expired redirects: one request resolves the address, for all.
    mutating func hasExpired(_ sent: RequestSender<Network>.Sent, _ cause: FlightEnd.Cause, source index: Int) -> Bool {
        guard engine.request.refresh != nil, index == 0, case .refused(.status(let status, _)) = cause,
            RetryPolicy().mayMeanExpiredAddress(status: status), sent.url == sources[0].url
        else { return false }
        if refreshing != nil { return true }
        guard let refusal = expiredRefusal(status: status, onHand: onHand) else { return false }
        refreshing = refusal
        return true
    }

    /// Bytes of the file that are here, recorded or not.
    private var onHand: Int64 {
        let inFlight = scheduler.flights.values.reduce(0) { $0 + $1.position - $1.range.lowerBound }
        return max(ByteRangeSet(inherited?.finished.map(\.range) ?? []).total, scheduler.finished.total + inFlight)
    }

    private func expiredRefusal(status: Int, onHand: Int64) -> Refreshing? {
        // An address that was fresh and has brought nothing has not expired: it is refused.
        guard onHand > onHandAtRefresh ?? 0 else { return nil }
        let link = ExpiredLink(url: engine.url.text, status: status, received: onHand)
        let refusal = AnswerRefusal.status(status, retryAfter: nil)
        return .asked(link, DownloadError(.refused(refusal), url: engine.url))
    }

    /// Asks for a new address in place of the request that needs it.
    mutating func askForAddress(for order: FetchOrder, in group: inout Errands<Outcome>) -> Bool {
        guard order.resolvesAnew, let expiry else { return false }
        refreshing = .waiting(order)
        let run = self
        let slot = transportSlot(order.slot)
        let known = scheduler.finished
        group.addTask { .refreshed(await run.freshAddress(for: expiry.link, expiry.refusal, known, on: slot)) }
        return true
    }

    /// A new address came: the request that waits for it goes there, and so do all others from now on.
    mutating func refreshed(
        _ refresh: Refresh, in group: inout Errands<Outcome>
    ) async throws(DownloadError) -> DownloadReceipt? {
        guard case .waiting(let order) = refreshing else { return nil }
        refreshing = nil
        switch refresh {
        case .failed(let error): throw error
        case .changed(let reason):
            let end = FlightEnd(position: order.range.lowerBound, cause: .refused(.changed(reason: reason, nil)))
            return try await perform(scheduler.ended(order.slot, end, now: now), in: &group)
        case .same(let address):
            use(address)
            // It may have been given away meanwhile, by a restart.
            guard scheduler.flights[order.slot] != nil else { return nil }
            return try await perform([.fetch(order)], in: &group)
        }
    }

    private mutating func use(_ address: FreshAddress) {
        onHandAtRefresh = onHand
        sources.readdress(0, to: address.url)
        engine.url = address.url
        engine.scope = address.scope
        sender.scope = address.scope
        engine.sink.events.yield(.notice("the address had expired: going on at \(address.url.redacted)"))
    }

    /// Opens the destination, with a new address if the one that there is has expired although bytes are on hand.
    mutating func openFreshly() async throws(DownloadError) -> DownloadReceipt? {
        do throws(DownloadError) {
            try await resolveSlice()
            return try await openDestination()
        } catch {
            guard engine.request.refresh != nil, let status = error.code.status,
                RetryPolicy().mayMeanExpiredAddress(status: status), let path = paths?.final,
                let left = try? PartialDownload.left(
                    at: path, temporaryDirectory: engine.options.temporaryDirectory),
                case .asked(let link, let refusal) = expiredRefusal(status: status, onHand: left.finished)
            else { throw error }
            await store?.close()
            // What is on hand is compared when it is opened again.
            switch await freshAddress(for: link, refusal, ByteRangeSet(), on: transportSlot(0)) {
            case .same(let address): use(address)
            case .changed: throw error
            case .failed(let error): throw error
            }
            onHandAtRefresh = left.finished
            try await resolveSlice()
            return try await openDestination()
        }
    }

    // MARK: - Asking

    private func freshAddress(
        for link: ExpiredLink, _ refusal: DownloadError, _ known: ByteRangeSet, on slot: Slot
    ) async -> Refresh {
        var refusal = refusal
        let fresh: FreshLink?
        do {
            fresh = try await engine.request.refresh?(link)
        } catch {
            if Task.isCancelled { return .failed(.cancelledKeeping) }
            refusal.message += ", and there is no new address: \(error)"
            return .failed(refusal)
        }
        if Task.isCancelled { return .failed(.cancelledKeeping) }
        guard let fresh else { return .failed(refusal) }
        do throws(DownloadError) {
            let address = try address(fresh)
            if let reason = try await difference(at: address, known, on: slot) { return .changed(reason) }
            return .same(address)
        } catch {
            return .failed(error)
        }
    }

    private func address(_ fresh: FreshLink) throws(DownloadError) -> FreshAddress {
        let url = if let text = fresh.url { try parse(text) } else { engine.url }
        // Headers were given for an origin, and stay with it.
        guard let headers = fresh.headers else { return FreshAddress(url: url, scope: engine.scope) }
        var request = engine.request
        request.headers = headers
        if url.origin != engine.url.origin { (request.credentials, request.cookies) = (nil, nil) }
        return FreshAddress(url: url, scope: try request.scope(engine.options, for: url, parse: parse))
    }

    private func parse(_ text: String) throws(DownloadError) -> ResourceURL {
        do throws(InvalidURL) {
            return try engine.network.parse(text, relativeTo: nil)
        } catch {
            throw DownloadError(.invalidRequest, "the new address can't be fetched: \(error.reason)")
        }
    }

    /// Compares what is on hand with what a new address has, unless a strong validator or a digest will tell.
    private func difference(
        at address: FreshAddress, _ known: ByteRangeSet, on slot: Slot
    ) async throws(DownloadError) -> String? {
        let header = inherited?.header
        let isSamePath = address.url.origin == engine.url.origin && address.url.path == engine.url.path
        let tag = resource?.validators.entityTag ?? header?.entityTag.flatMap { EntityTag($0) }
        if isSamePath, let tag, !tag.isWeak { return nil }
        guard engine.request.checksums.isEmpty, let store, let size = resource?.size ?? header?.size else { return nil }
        let onHand = known.isEmpty ? ByteRangeSet(inherited?.finished.map(\.range) ?? []) : known
        let candidates = SampleBlocks(within: onHand, count: 64, seed: engine.seed &+ 3).ranges
        let blocks = try await telling(candidates, in: store, atMost: 16)
        var sender = sender
        sender.scope = address.scope
        return try await Sampler(engine: engine, sender: sender).refutation(
            of: blocks, size: size, at: address.url, on: slot)
    }
}

extension DownloadRun {
    /// Where asking for a new address stands.
    enum Refreshing: Sendable {
        /// The address was refused; whoever resolves it asks.
        case asked(ExpiredLink, DownloadError)
        /// Somebody is asked, and this request waits for the answer.
        case waiting(FetchOrder)
    }
}
