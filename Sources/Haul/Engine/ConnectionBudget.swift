import Synchronization

/// Shares connections among the downloads of a `Downloader`.
///
/// A download starts when there is a place for it and one free connection; it may then take more, up to its share of
/// what its host is allowed. Who waits is served before who wants more, the highest priority first.
final class ConnectionBudget: Sendable {
    private struct Waiter {
        let number: Int
        /// Tells it apart where its priority may change; nil if it can't.
        let ticket: LeaseTicket?
        /// Whose it is, where all of an owner's are given up at once.
        let owner: ObjectIdentifier?
        var priority: DownloadPriority
        /// Takes what it waits for; nil if that was given up.
        let answer: Answer

        /// Whether it is served before another.
        func comes(before other: Waiter) -> Bool {
            priority == other.priority ? number < other.number : priority > other.priority
        }
    }

    /// What one host's downloads hold.
    private struct Host {
        let name: String
        var held = 0
        var active = 0
        /// In the order in which they are served.
        var waiters = FrontQueue<Waiter>()

        init(_ name: String) { self.name = name }

        var isIdle: Bool { active == 0 && waiters.isEmpty }

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

        /// Puts a waiter where it belongs.
        mutating func insert(_ waiter: Waiter) { waiters.insert(waiter) { $0.comes(before: $1) } }
    }

    private struct State {
        /// Hosts with downloads, and free places for others.
        var hosts: [Host] = []
        var freeHosts: [Int] = []
        var numbers: [String: Int] = [:]
        var held = 0
        var active = 0
        var waiting = 0
        var nextNumber = 0
        /// Downloads of batches that still take requests.
        var promised = 0
        /// Downloads that have every byte and no connection: they wait to be written, or for the disk.
        var aside = 0
        /// Bytes of theirs that are in memory only.
        var unwritten: Int64 = 0

        /// Number of the next who asks.
        mutating func takeNumber() -> Int {
            nextNumber += 1
            return nextNumber
        }

        /// Number of a host, given to it now if it has none.
        mutating func number(of host: String) -> Int {
            if let number = numbers[host] { return number }
            let number = freeHosts.popLast() ?? hosts.count
            if number == hosts.count { hosts.append(Host(host)) } else { hosts[number] = Host(host) }
            numbers[host] = number
            return number
        }

        /// A batch may name a million hosts: only those with downloads are kept.
        mutating func forgetIfIdle(_ host: Int) {
            guard hosts[host].isIdle else { return }
            numbers[hosts[host].name] = nil
            freeHosts.append(host)
        }
    }

    /// Takes a lease, or nil if there will be none.
    typealias Answer = @Sendable (ConnectionLease?) -> Void
    /// Who may start now, and what with.
    private typealias Served = [(answer: Answer, lease: ConnectionLease)]

    /// Most bytes in memory of downloads that gave their connections back: 16 small files, as large as they may be.
    private static let mostUnwritten: Int64 = 4 << 20

    private let limits: DownloaderOptions
    private let mostAside: Int
    private let state = Mutex(State())

    /// Makes a budget of which nothing is used.
    ///
    /// - Parameters:
    ///   - limits: what is shared.
    ///   - mostAside: most downloads that keep files open without a place, as long as they wait for the disk.
    init(_ limits: DownloaderOptions, mostAside: Int = .max) {
        self.limits = limits
        self.mostAside = mostAside
    }

    /// Waits for a place and a connection.
    ///
    /// - Parameters:
    ///   - host: where the download goes.
    ///   - ticket: its priority among those that wait.
    /// - Returns: one connection, to be given back by `release`; nil if the task was cancelled.
    func lease(for host: String, ticket: LeaseTicket = LeaseTicket(.normal)) async -> ConnectionLease? {
        let number = state.withLock { $0.takeNumber() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                ask(
                    for: host,
                    Waiter(number: number, ticket: ticket, owner: nil, priority: ticket.priority) {
                        continuation.resume(returning: $0)
                    }, unless: { Task.isCancelled })
            }
        } onCancel: {
            giveUp { $0.number == number }
        }
    }

    /// Asks for a place and a connection, with no task that waits for them.
    ///
    /// - Parameters:
    ///   - host: where the download goes.
    ///   - priority: its priority among those that wait.
    ///   - owner: whose it is, for `giveUp(of:)`.
    ///   - answer: called once, on any thread or at once: with one connection, to be given back by `release`, or nil.
    func ask(for host: String, _ priority: DownloadPriority, owner: AnyObject, _ answer: @escaping Answer) {
        let number = state.withLock { $0.takeNumber() }
        ask(
            for: host,
            Waiter(number: number, ticket: nil, owner: ObjectIdentifier(owner), priority: priority, answer: answer),
            unless: { false })
    }

    private func ask(for host: String, _ waiter: Waiter, unless isOver: () -> Bool) {
        let answer: ConnectionLease?? = state.withLock { state in
            // Under the lock: whoever gives up later finds it.
            if isOver() { return .some(nil) }
            let number = state.number(of: host)
            if state.hosts[number].waiters.isEmpty, admits(number, state) { return admit(number, &state) }
            state.waiting += 1
            state.hosts[number].insert(waiter)
            return nil
        }
        if let answer { waiter.answer(answer) }
    }

    /// Gives up everything that an owner waits for.
    func giveUp(of owner: AnyObject) {
        let owner = ObjectIdentifier(owner)
        giveUp { $0.owner == owner }
    }

    private func giveUp(where isMeant: (Waiter) -> Bool) {
        let waiters = state.withLock { state in
            var removed: [Waiter] = []
            for host in state.hosts.indices where !state.hosts[host].waiters.isEmpty {
                removed += state.hosts[host].waiters.remove(where: isMeant)
                state.forgetIfIdle(host)
            }
            state.waiting -= removed.count
            return removed
        }
        for waiter in waiters { waiter.answer(nil) }
    }

    /// The priority of one that may be waiting is another one now.
    func reorder(_ ticket: LeaseTicket) {
        state.withLock { state in
            for host in state.hosts.indices {
                for var waiter in state.hosts[host].waiters.remove(where: { $0.ticket === ticket }) {
                    waiter.priority = ticket.priority
                    state.hosts[host].insert(waiter)
                }
            }
        }
    }

    /// Connections that all downloads hold.
    var held: Int { state.withLock { $0.held } }

    /// Bytes that the buffers of all connections may hold, and those of downloads that wait to be written.
    var buffered: Int64 { state.withLock { Self.buffered($0.held) + $0.unwritten } }

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
    func adjust(_ host: Int, wanted: Int, inUse: Int, held: Int) -> Int {
        let (now, served) = state.withLock { state -> (Int, Served) in
            let entry = state.hosts[host]
            // Who waits for a place, not for a connection, needs none yet.
            let most = limits.maximumConcurrentDownloads
            let ofHost =
                limits.maximumConnectionsPerHost
                / max(1, min(entry.active + entry.waiters.count, most), expected(state))
            let ofAll = limits.maximumConnections / max(1, min(state.active + state.waiting, most), expected(state))
            let target = min(wanted, max(1, min(ofHost, ofAll)))
            var now = max(target, min(held, inUse), 1)
            if now > held {
                let free = min(
                    limits.maximumConnectionsPerHost - entry.held, mostConnections(state) - state.held)
                now = held + max(0, min(now - held, free))
            }
            state.held += now - held
            state.hosts[host].held += now - held
            return (now, now < held ? serve(&state) : [])
        }
        for (answer, lease) in served { answer(lease) }
        return now
    }

    /// Takes back what an ended download held.
    func release(_ host: Int, held: Int) {
        let served = state.withLock { state in
            state.held -= held
            state.active -= 1
            state.hosts[host].leave(giving: held)
            let served = serve(&state)
            state.forgetIfIdle(host)
            return served
        }
        for (answer, lease) in served { answer(lease) }
    }

    /// One download more that waits for the disk.
    ///
    /// - Parameter bytes: what it has in memory only.
    /// - Returns: false if there are as many as may be, or they hold as much.
    func addAside(holding bytes: Int64) -> Bool {
        state.withLock { state in
            let unwritten = state.unwritten + bytes
            guard state.aside < mostAside, unwritten <= Self.mostUnwritten,
                bytes == 0 || Self.buffered(state.held) + unwritten <= limits.maximumBufferedBytes
            else { return false }
            state.aside += 1
            state.unwritten = unwritten
            return true
        }
    }

    /// One that waits for the disk less, which had so many bytes in memory.
    func removeAside(holding bytes: Int64) { changeAside(by: -1, unwritten: -bytes) }

    /// Those that wait for the disk have so many bytes more in memory, or fewer.
    func changeUnwritten(by bytes: Int64) {
        if bytes != 0 { changeAside(by: 0, unwritten: bytes) }
    }

    private func changeAside(by count: Int, unwritten bytes: Int64) {
        let served = state.withLock { state in
            state.aside += count
            state.unwritten += bytes
            return bytes < 0 ? serve(&state) : []
        }
        for (answer, lease) in served { answer(lease) }
    }

    private static func buffered(_ connections: Int) -> Int64 {
        Int64(connections) * DownloaderOptions.bufferedBytesPerConnection
    }

    /// Connections that there may be beside what waits to be written.
    private func mostConnections(_ state: borrowing State) -> Int {
        let free = limits.maximumBufferedBytes - state.unwritten
        return min(limits.maximumConnections, max(1, Int(free / DownloaderOptions.bufferedBytesPerConnection)))
    }

    private func admits(_ host: Int, _ state: borrowing State) -> Bool {
        mayAdmit(state) && state.hosts[host].held < limits.maximumConnectionsPerHost
    }

    private func mayAdmit(_ state: borrowing State) -> Bool {
        state.active < limits.maximumConcurrentDownloads && state.held < mostConnections(state)
    }

    private func admit(_ host: Int, _ state: inout State) -> ConnectionLease {
        state.active += 1
        state.held += 1
        state.hosts[host].join()
        return ConnectionLease(self, state.hosts[host].name, host: host)
    }

    /// The host of the first who may start; nil if nobody may.
    private func nextHost(_ state: borrowing State) -> Int? {
        guard mayAdmit(state) else { return nil }
        var best: (host: Int, waiter: Waiter)?
        for host in state.hosts.indices where admits(host, state) {
            guard let waiter = state.hosts[host].waiters.first else { continue }
            if best.map({ waiter.comes(before: $0.waiter) }) ?? true { best = (host, waiter) }
        }
        return best?.host
    }

    /// Admits who may start, in the order of priority and arrival as far as their hosts allow.
    private func serve(_ state: inout State) -> Served {
        var served: Served = []
        while state.waiting > 0, let host = nextHost(state), let waiter = state.hosts[host].waiters.popFirst() {
            state.waiting -= 1
            served.append((waiter.answer, admit(host, &state)))
        }
        return served
    }
}
