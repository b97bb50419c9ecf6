/// Decides what an origin answers: a value, without sockets and clocks.
///
/// The server and the in-memory transport each hold one behind a lock, tell it what happens, and play the scripts that
/// it returns.
package struct OriginResponder: Sendable {
    /// What it serves; may be changed between requests, counters stay.
    package var configuration: OriginConfiguration { didSet { places = Self.places(of: configuration.resources) } }
    /// Every request so far, in the order of arrival.
    package private(set) var records: [OriginRecord] = []
    /// Connections accepted so far, refused ones included.
    package private(set) var connectionsAccepted = 0
    /// Connections open now.
    package var connectionsOpen: Int { open.count }
    /// The largest number of connections that were open at once.
    package private(set) var connectionsPeak = 0
    /// The largest number of answers that were under way at once.
    package private(set) var exchangesPeak = 0
    /// Bytes of bodies sent so far.
    package private(set) var bytesSent: Int64 = 0

    /// Whether it has sent all that it will ever send.
    package var isSilent: Bool { configuration.silentAfter.map { bytesSent >= $0 } ?? false }

    /// What it remembers of each resource.
    var counters: [String: OriginCounters] = [:]
    /// Where each path's resource is, so that ten thousand of them cost no search.
    private var places: [String: Int]
    private var open: [Int: Connection] = [:]
    /// Connections that stay just long enough to be told that they are too many.
    private var excess: [Int: Connection] = [:]
    private var arrivals: [Duration] = []
    /// Answers under way that were not refusals: the path of each.
    private var running: [Int: String] = [:]
    /// Number of the first record that is still in the log.
    private var forgotten = 0

    private struct Connection {
        var requests = 0
    }

    /// Makes a responder.
    package init(_ configuration: OriginConfiguration) {
        self.configuration = configuration
        places = Self.places(of: configuration.resources)
    }

    private static func places(of resources: [OriginResource]) -> [String: Int] {
        Dictionary(resources.indices.map { (resources[$0].path, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Puts a resource in the place of the one with the same path, or adds it; counters stay.
    package mutating func replace(_ resource: OriginResource) {
        configuration.resources.removeAll { $0.path == resource.path }
        configuration.resources.append(resource)
    }

    /// Empties the log; counters stay.
    package mutating func forgetRecords() {
        forgotten += records.count
        records.removeAll()
    }

    /// Tells of a new connection.
    ///
    /// - Returns: its number, counted from 1, and how it is to be refused before it said anything, nil if it isn't.
    package mutating func connect(at moment: OriginMoment) -> (number: Int, refusal: OriginConfiguration.Refusal?) {
        connectionsAccepted += 1
        let number = connectionsAccepted
        arrivals.removeAll { moment.elapsed - $0 >= configuration.newConnectionPeriod }
        let isRefused =
            configuration.connectionLimit.map { open.count >= $0 } ?? false
            || configuration.newConnectionLimit.map { arrivals.count >= $0 } ?? false
        guard isRefused else {
            arrivals.append(moment.elapsed)
            open[number] = Connection()
            connectionsPeak = max(connectionsPeak, open.count)
            return (number, nil)
        }
        guard case .status = configuration.refusal else { return (number, configuration.refusal) }
        excess[number] = Connection()
        return (number, nil)
    }

    /// Tells that a connection is gone.
    package mutating func disconnect(_ number: Int) {
        open[number] = nil
        excess[number] = nil
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: what came.
    ///   - connection: number of the connection on which it came.
    ///   - moment: when it came.
    /// - Returns: what to do, to be followed by `sent` and `finish`.
    package mutating func respond(
        to request: OriginRequest, on connection: Int, at moment: OriginMoment
    ) -> OriginExchange {
        let place = (open[connection]?.requests ?? 0) + 1
        open[connection]?.requests = place
        var visit = OriginVisit(request: request, connection: connection, place: place, moment: moment)
        var script: OriginScript
        if excess[connection] != nil, case .status(let status, let retryAfter) = configuration.refusal {
            script = visit.refusal(status, retryAfter)
        } else {
            script = answer(to: &visit)
        }
        if request.wantsClose { script.keepsConnection = false }
        if configuration.responseDelay > .zero { script.steps.insert(.pause(configuration.responseDelay), at: 0) }
        let number = forgotten + records.count
        if visit.isAdmitted {
            running[number] = request.path
            exchangesPeak = max(exchangesPeak, running.count)
            counters[request.path]?.active += 1
        }
        let status = script.steps.lazy.compactMap { if case .head(let head) = $0 { head.status } else { nil } }.last
        records.append(
            OriginRecord(
                connection: connection, place: place, request: request, status: status ?? 0, started: moment.elapsed))
        return OriginExchange(number: number, script: script)
    }

    /// Tells that bytes of body have gone out.
    package mutating func sent(_ count: Int, in exchange: OriginExchange) {
        bytesSent += Int64(count)
        let place = exchange.number - forgotten
        guard records.indices.contains(place) else { return }
        records[place].bodyBytes += Int64(count)
        counters[records[place].path]?.bytes += Int64(count)
    }

    /// Tells that an answer is over, however it ended.
    package mutating func finish(_ exchange: OriginExchange, at moment: OriginMoment) {
        if let path = running.removeValue(forKey: exchange.number) { counters[path]?.active -= 1 }
        let place = exchange.number - forgotten
        if records.indices.contains(place) { records[place].finished = moment.elapsed }
    }

    private mutating func answer(to visit: inout OriginVisit) -> OriginScript {
        let path = visit.request.path
        guard let index = places[path] else { return visit.refusal(404, .none, keepsConnection: true) }
        let resource = configuration.resources[index]
        var counter = counters[path] ?? OriginCounters()
        defer { counters[path] = counter }
        counter.requests += 1
        if visit.place == 1 { counter.arrivals.append(visit.moment.elapsed) }
        visit.scheme = configuration.scheme
        for behavior in resource.behaviors {
            if let script = visit.gate(behavior, &counter) { return script }
        }
        visit.isAdmitted = true
        var draft = OriginDraft(visit, visit.effective(resource, counter), counter)
        if visit.request.fields.value("Range") != nil { counter.ranged += 1 }
        for behavior in resource.behaviors { draft.apply(behavior, &counter) }
        return draft.script()
    }
}
