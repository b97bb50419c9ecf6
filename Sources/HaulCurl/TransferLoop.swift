import CCurl
import HaulCore
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A thread with its transfers and their connections: the actor's isolation is the thread.
@safe actor TransferLoop {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: LoopExecutor
    /// Runs tasks on its thread.
    nonisolated let tasks: LoopTasks
    private let share: ShareHandle
    private let pacer: SharedPacer
    private var multi: MultiHandle
    private var transfers: [TransferID: Transfer] = [:]
    private nonisolated let transferCount = Atomic<Int>(0)
    private let sockets = SocketRegister()
    private var idle = IdleHandles()
    /// Whether there was a rate that may hold transfers back, which have to be looked at then.
    private var mayHoldBack = false

    /// Longest wait with nothing to do; sockets, timers and the waker end it sooner.
    private static let longestWait: Int32 = 60_000

    private init(share: ShareHandle, pacer: SharedPacer) throws(TransportError) {
        self.share = share
        self.pacer = pacer
        let multi = try MultiHandle()
        executor = LoopExecutor(waker: multi.waker)
        tasks = LoopTasks(on: executor)
        self.multi = multi
    }

    /// Makes a loop and starts its thread, which keeps it alive until `stop`.
    ///
    /// - Parameters:
    ///   - number: shown in the thread's name.
    ///   - share: what it has in common with other loops.
    ///   - pacer: the rate of all loops together.
    /// - Returns: the loop, running.
    /// - Throws: `.transportFailure` when the system gives no thread.
    static func start(
        number: Int, share: ShareHandle, pacer: SharedPacer
    ) throws(TransportError) -> TransferLoop {
        let loop = try TransferLoop(share: share, pacer: pacer)
        let started = LoopThread.start(name: "haul.loop.\(number)") {
            loop.executor.run(
                perform: { command in loop.assumeIsolated { $0.perform(command) } },
                turn: { loop.assumeIsolated { $0.turn() } },
                wait: { mayWait in loop.assumeIsolated { $0.wait(mayWait) } },
                end: { loop.assumeIsolated { $0.end() } })
        }
        guard started else { throw .transportFailure(detail: "the system gives no thread") }
        return loop
    }

    /// Sends one request; see `Transport.send`.
    nonisolated func send(
        _ request: TransferRequest, on slot: Slot, to receiver: some ResponseReceiver
    ) async throws(TransportError) -> TransferSummary {
        let id = TransferID(number: Int(transferCount.wrappingAdd(1, ordering: .relaxed).newValue))
        // Who is on the thread already need not wait for a turn there.
        guard executor.isCurrent else { return try await sendInTurn(id, request, on: slot, to: receiver) }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Transfer.Continuation) in
                assumeIsolated { $0.begin(id, request, on: slot, to: receiver, continuation) }
            }
        } onCancel: {
            executor.post(.cancel(id))
        }
        return try result.get()
    }

    private func sendInTurn(
        _ id: TransferID, _ request: TransferRequest, on slot: Slot, to receiver: some ResponseReceiver
    ) async throws(TransportError) -> TransferSummary {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Transfer.Continuation) in
                begin(id, request, on: slot, to: receiver, continuation)
            }
        } onCancel: {
            executor.post(.cancel(id))
        }
        return try result.get()
    }

    private func begin(
        _ id: TransferID, _ request: TransferRequest, on slot: Slot, to receiver: some ResponseReceiver,
        _ continuation: Transfer.Continuation
    ) {
        guard !Task.isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
        do throws(TransportError) {
            let handle = try handle(for: request)
            let transfer = ReceivingTransfer(
                id: id, slot: slot, request: request, receiver: receiver, handle: handle, sockets: sockets,
                pacer: pacer, continuation: continuation)
            try multi.add(handle.easy)
            transfers[id] = transfer
            if request.maximumRate != nil { mayHoldBack = true }
        } catch {
            continuation.resume(returning: .failure(error))
        }
    }

    /// Lets the transfer of `slot` go on if it is paused.
    nonisolated func resume(_ slot: Slot) { executor.post(.resume(slot)) }

    /// Ends the transfer of `slot`, if it has one.
    nonisolated func cancel(_ slot: Slot) { executor.post(.cancelSlot(slot)) }

    /// Ends the thread; what still runs ends as cancelled.
    nonisolated func stop() { executor.stop() }

    // MARK: - On the thread

    /// A handle with everything set that a request asks for.
    private func handle(for request: TransferRequest) throws(TransportError) -> PreparedHandle {
        let rate = pacer.rate
        if let handle = try idle.take(for: request, pacedRate: rate) { return handle }
        return try PreparedHandle(
            for: request, share: share, pacedRate: rate, others: transfers.count, sockets: sockets)
    }

    private func perform(_ command: LoopExecutor.Command) {
        switch command {
        case .cancel(let id): finish(id, .failure(.cancelled))
        case .cancelSlot(let slot):
            for transfer in Array(transfers.values) where transfer.slot == slot {
                finish(transfer.id, .failure(.cancelled))
            }
        case .resume(let slot):
            for transfer in transfers.values where transfer.slot == slot {
                if let conclusion = transfer.resume() { carryOut(conclusion, of: transfer) }
            }
        }
    }

    private func turn() {
        guard !transfers.isEmpty else { return }
        wakePaced()
        multi.perform()
        while let (context, code) = unsafe multi.nextFinished() {
            let handle = unsafe Unmanaged<PreparedHandle>.fromOpaque(context).takeUnretainedValue()
            guard let transfer = handle.transfer else { continue }
            carryOut(transfer.conclude(code), of: transfer)
        }
    }

    /// Waits for a socket, a timer or the waker, if it may.
    ///
    /// - Returns: whether a socket is ready.
    private func wait(_ mayWait: Bool) -> Bool {
        if !mayWait { return multi.wait(atMost: 0) }
        if pacer.isLimited { mayHoldBack = true }
        guard mayHoldBack, let wakeTime = transfers.values.lazy.compactMap(\.wakeTime).min() else {
            return multi.wait(atMost: Self.longestWait)
        }
        let milliseconds = ((wakeTime - .now) / .milliseconds(1)).rounded(.up)
        return multi.wait(atMost: Int32(min(max(milliseconds, 0), Double(Self.longestWait))))
    }

    private func wakePaced() {
        guard mayHoldBack else { return }
        let waiting = transfers.values.filter { $0.wakeTime != nil }
        guard !waiting.isEmpty else { return }
        let now = ContinuousClock.now
        for transfer in waiting {
            if let conclusion = transfer.wake(now: now) { carryOut(conclusion, of: transfer) }
        }
    }

    private func end() {
        for id in transfers.keys { finish(id, .failure(.cancelled)) }
        idle.removeAll()
        multi.close()
    }

    private func carryOut(_ conclusion: Transfer.Conclusion, of transfer: Transfer) {
        switch conclusion {
        case .held: break
        case .finished(let result): finish(transfer.id, result)
        case .again:
            multi.remove(transfer.handle.easy)
            do throws(TransportError) {
                try transfer.prepareAgain()
                try multi.add(transfer.handle.easy)
            } catch {
                finish(transfer.id, .failure(error))
            }
        }
    }

    /// Ends a transfer; the only place that answers its task.
    ///
    /// One that has ended already is no error: a cancellation may come late.
    private func finish(_ id: TransferID, _ result: Result<TransferSummary, TransportError>) {
        guard let transfer = transfers.removeValue(forKey: id) else { return }
        multi.remove(transfer.handle.easy)
        if let jar = transfer.request.profile.options.cookieJar { writeCookies(of: transfer, to: jar) }
        if case .success(let summary) = result, !summary.stoppedByReceiver { idle.keep(transfer.handle) }
        transfer.handle.transfer = nil
        transfer.continuation.resume(returning: result)
    }

    /// Whether libcurl may open a path for writing: it would wait for a pipe's reader, and empty what a link leads to.
    ///
    /// The program asks the same of its arguments, in a function of its own: this target and that one have nothing in
    /// common that may call lstat(2). Here it counts for every user of the library, and for what was put there since.
    private static func mayBeWritten(_ path: String) -> Bool {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0 else { return true }
        let kind = facts.st_mode & S_IFMT
        return kind == S_IFCHR || kind == S_IFREG && facts.st_nlink == 1
    }

    /// Writes the cookies of the whole transport, when it is the first time or the response may have changed them.
    private func writeCookies(of transfer: Transfer, to jar: String) {
        guard share.isFirstUse(of: jar, for: "write") || transfer.setsCookies, Self.mayBeWritten(jar) else { return }
        transfer.handle.easy.writeCookies(to: jar)
    }
}
