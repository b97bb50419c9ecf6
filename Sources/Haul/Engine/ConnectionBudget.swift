import Synchronization

/// Shares connections among the downloads of a `Downloader`.
///
/// A download starts when there is a place for it and one free connection; it may then take more, up to its share of
/// what its host is allowed. Who waits is served before who wants more, the highest priority first.
final class ConnectionBudget: Sendable {
    private struct Waiter {
        let number: Int
        let ticket: LeaseTicket
        var priority: DownloadPriority
        let continuation: CheckedContinuation<Bool, Never>

        /// Whether it is served before another.
        func comes(before other: Waiter) -> Bool {
            priority == other.priority ? number < other.number : priority > other.priority
        }
    }

    /// What one host's downloads hold.
    private struct Host {
        var held = 0
        var active = 0
        /// In the order in which they are served.
        var waiters: [Waiter] = []
        /// Waiters before this index are served: removing from the front would move all others.
        var first = 0

        var waiting: Int { waiters.count - first }
        var isIdle: Bool { active == 0 && waiting == 0 }

        /// One download more, with one connection.
        mutating func join() {
            active += 1
            held += 1
        }

        /// One download less.
        mutating func leave(giving count: Int) {
            active -= 1
            held -= count
        }

        /// Takes out who is served next.
        mutating func takeFirst() -> Waiter {
            let waiter = waiters[first]
            first += 1
            if first * 2 > waiters.count {
                waiters.removeFirst(first)
                first = 0
            }
            return waiter
        }

        /// Puts a waiter where it belongs.
        mutating func insert(_ waiter: Waiter) {
            var (low, high) = (first, waiters.count)
            while low < high {
                let middle = (low + high) / 2
                if waiters[middle].comes(before: waiter) { low = middle + 1 } else { high = middle }
            }
            waiters.insert(waiter, at: low)
        }
    }

    private struct State {
        var hosts: [String: Host] = [:]
        var held = 0
        var active = 0
        var waiting = 0
        var nextNumber = 0
        /// Downloads of batches that still take requests.
        var promised = 0

        /// A batch may name a million hosts: only those with downloads are kept.
        mutating func forgetIfIdle(_ host: String) {
            if hosts[host]?.isIdle ?? false { hosts[host] = nil }
        }
    }

    private let limits: DownloaderOptions
    private let state = Mutex(State())

    /// Makes a budget of which nothing is used.
    init(_ limits: DownloaderOptions) { self.limits = limits }

    /// Waits for a place and a connection.
    ///
    /// - Parameters:
    ///   - host: where the download goes.
    ///   - ticket: its priority among those that wait.
    /// - Returns: one connection, to be given back by `release`; nil if the task was cancelled.
    func lease(for host: String, ticket: LeaseTicket = LeaseTicket(.normal)) async -> ConnectionLease? {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        let isAdmitted = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    let isFirst = state.hosts[host].map { $0.waiting == 0 } ?? true
                    if isFirst, admits(host, state) {
                        admit(host, &state)
                        return true
                    }
                    state.waiting += 1
                    state.hosts[host, default: Host()].insert(
                        Waiter(number: number, ticket: ticket, priority: ticket.priority, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            giveUp(number, host)
        }
        return isAdmitted ? ConnectionLease(self, host: host) : nil
    }

    /// Takes a place and a connection if nobody waits for them.
    ///
    /// - Parameter host: where the download goes.
    /// - Returns: one connection; nil if there is none now, or the task was cancelled.
    func leaseNow(for host: String) -> ConnectionLease? {
        if Task.isCancelled { return nil }
        let isAdmitted = state.withLock { state in
            guard state.hosts[host].map({ $0.waiting == 0 }) ?? true, admits(host, state) else { return false }
            admit(host, &state)
            return true
        }
        return isAdmitted ? ConnectionLease(self, host: host) : nil
    }

    /// The priority of one that may be waiting is another one now.
    func reorder(_ ticket: LeaseTicket) {
        state.withLock { state in
            for (host, entry) in state.hosts {
                let waiting = entry.waiters.indices.dropFirst(entry.first)
                guard let index = waiting.first(where: { entry.waiters[$0].ticket === ticket }) else { continue }
                guard var waiter = state.hosts[host]?.waiters.remove(at: index) else { return }
                waiter.priority = ticket.priority
                state.hosts[host]?.insert(waiter)
                return
            }
        }
    }

    /// Connections that all downloads hold.
    var held: Int { state.withLock { $0.held } }

    /// Downloads that wait for a place and a connection.
    var waiting: Int { state.withLock { $0.waiting } }

    /// Says that so many more downloads are about to start, so that the first do not take what the next need.
    ///
    /// What several batches say adds up; each takes back what it said by a negative number.
    func expect(_ more: Int) { state.withLock { $0.promised += more } }

    /// Downloads that are under way or about to start, as far as batches have said so: no more than may be at once.
    var expected: Int { state.withLock { expected($0) } }

    private func expected(_ state: State) -> Int { min(state.promised, limits.maximumConcurrentDownloads) }

    /// Changes what a download holds.
    ///
    /// - Parameters:
    ///   - host: where the download goes.
    ///   - wanted: connections that it could use.
    ///   - inUse: connections that it can't give back now.
    ///   - held: connections that it has.
    /// - Returns: connections that it has now, at least one.
    func adjust(_ host: String, wanted: Int, inUse: Int, held: Int) -> Int {
        let (now, served) = state.withLock { state -> (Int, [Waiter]) in
            let entry = state.hosts[host] ?? Host()
            // Who waits for a place, not for a connection, needs none yet.
            let most = limits.maximumConcurrentDownloads
            let ofHost =
                limits.maximumConnectionsPerHost / max(1, min(entry.active + entry.waiting, most), expected(state))
            let ofAll = limits.maximumConnections / max(1, min(state.active + state.waiting, most), expected(state))
            let target = min(wanted, max(1, min(ofHost, ofAll)))
            var now = max(target, min(held, inUse), 1)
            if now > held {
                let free = min(
                    limits.maximumConnectionsPerHost - entry.held, limits.maximumConnections - state.held)
                now = held + max(0, min(now - held, free))
            }
            take(now - held, host, &state)
            return (now, now < held ? serve(&state) : [])
        }
        for waiter in served { waiter.continuation.resume(returning: true) }
        return now
    }

    /// Takes back what an ended download held.
    func release(_ host: String, held: Int) {
        let served = state.withLock { state in
            state.held -= held
            state.active -= 1
            state.hosts[host]?.leave(giving: held)
            let served = serve(&state)
            state.forgetIfIdle(host)
            return served
        }
        for waiter in served { waiter.continuation.resume(returning: true) }
    }

    private func giveUp(_ number: Int, _ host: String) {
        let waiter = state.withLock { state -> Waiter? in
            guard let entry = state.hosts[host],
                let index = entry.waiters.indices.dropFirst(entry.first).first(where: {
                    entry.waiters[$0].number == number
                })
            else { return nil }
            state.waiting -= 1
            let waiter = state.hosts[host]?.waiters.remove(at: index)
            state.forgetIfIdle(host)
            return waiter
        }
        waiter?.continuation.resume(returning: false)
    }

    private func admits(_ host: String, _ state: State) -> Bool {
        state.active < limits.maximumConcurrentDownloads && state.held < limits.maximumConnections
            && (state.hosts[host]?.held ?? 0) < limits.maximumConnectionsPerHost
    }

    private func admit(_ host: String, _ state: inout State) {
        state.active += 1
        state.held += 1
        state.hosts[host, default: Host()].join()
    }

    private func take(_ count: Int, _ host: String, _ state: inout State) {
        state.held += count
        state.hosts[host, default: Host()].held += count
    }

    /// The host of the first who may start; nil if nobody may.
    private func nextHost(_ state: State) -> String? {
        guard state.active < limits.maximumConcurrentDownloads, state.held < limits.maximumConnections else {
            return nil
        }
        var best: (host: String, waiter: Waiter)?
        for (host, entry) in state.hosts where entry.waiting > 0 && admits(host, state) {
            let waiter = entry.waiters[entry.first]
            if best.map({ waiter.comes(before: $0.waiter) }) ?? true { best = (host, waiter) }
        }
        return best?.host
    }

    /// Admits who may start, in the order of priority and arrival as far as their hosts allow.
    private func serve(_ state: inout State) -> [Waiter] {
        var served: [Waiter] = []
        while state.waiting > 0, let host = nextHost(state), let waiter = state.hosts[host]?.takeFirst() {
            served.append(waiter)
            state.waiting -= 1
            admit(host, &state)
        }
        return served
    }
}
