/// One request on its way through a resource's behaviours: first through those that answer instead of the file.
struct OriginVisit: Sendable {
    /// The request.
    let request: OriginRequest
    /// Number of its connection, counted from 1.
    let connection: Int
    /// Which request on that connection it is, counted from 1.
    let place: Int
    /// When it came.
    let moment: OriginMoment
    /// Scheme of absolute addresses.
    var scheme = "http"
    /// Whether the file itself answers, and not a refusal.
    var isAdmitted = false

    /// A short answer without the file.
    func refusal(
        _ status: Int, _ retryAfter: OriginRetryAfter, fields: [OriginField] = [], keepsConnection: Bool = false
    ) -> OriginScript {
        let text = Array("\(status)\n".utf8)
        var head = OriginHead(status: status, fields: [OriginField("Date", OriginMoment.httpDate(moment.calendar))])
        head.fields += fields
        if let value = retryAfter.value(at: moment) { head.fields.append(OriginField("Retry-After", value)) }
        head.fields.append(OriginField("Content-Type", "text/plain"))
        head.fields.append(OriginField("Content-Length", "\(text.count)"))
        if !keepsConnection { head.fields.append(OriginField("Connection", "close")) }
        let body: [OriginStep] = request.wantsHeadOnly ? [] : [.body(text)]
        return OriginScript([.head(head)] + body, keepsConnection: keepsConnection)
    }

    /// What `behavior` answers in place of the file, nil if it lets the request through.
    func gate(_ behavior: OriginBehavior, _ counter: inout OriginCounters) -> OriginScript? {
        switch behavior {
        case .redirectChain, .redirectLoop, .redirectCrossHost, .redirectToFile, .redirectDowngrade,
            .redirectWithoutLocation, .redirectToGarbage, .signedRedirectExpires, .cookieOnRedirect:
            return redirect(behavior, &counter)
        case .refuses(let status, let times, let retryAfter):
            return counter.shows(behavior, times: times) ? refusal(status, retryAfter, keepsConnection: true) : nil
        case .connectionCap(let limit, let status, let retryAfter):
            return counter.active >= limit ? refusal(status, retryAfter) : nil
        case .resetBeyondCap(let limit):
            return counter.active >= limit ? OriginScript([.reset]) : nil
        case .closeBeyondCap(let limit):
            return counter.active >= limit ? OriginScript([.close]) : nil
        case .newConnectionCap(let limit, let period, let status):
            guard place == 1 else { return nil }
            counter.arrivals.removeAll { moment.elapsed - $0 >= period }
            guard counter.arrivals.count > limit else { return nil }
            counter.arrivals.removeLast()
            return refusal(status, .none)
        case .headForbidden(let status):
            return request.wantsHeadOnly ? refusal(status, .none, keepsConnection: true) : nil
        case .headHangs:
            return request.wantsHeadOnly ? OriginScript([.stall]) : nil
        case .headSaysZero:
            guard request.wantsHeadOnly else { return nil }
            return OriginScript([.head(OriginHead(status: 200, fields: [OriginField("Content-Length", "0")]))])
        case .authRequired:
            guard request.fields.value("Authorization") != "Basic dXNlcjpzZWNyZXQ=" else { return nil }
            let challenge = OriginField("WWW-Authenticate", "Basic realm=\"origin\"")
            return refusal(401, .none, fields: [challenge], keepsConnection: true)
        case .closesBeforeHead(let times):
            return counter.shows(behavior, times: times) ? OriginScript([.close]) : nil
        case .resetsBeforeHead(let times):
            return counter.shows(behavior, times: times) ? OriginScript([.reset]) : nil
        case .stallBeforeHeaders(let times):
            return counter.shows(behavior, times: times) ? OriginScript([.stall]) : nil
        case .endlessHeaders:
            let line = "X-Filler: " + String(repeating: "filler ", count: 140) + "\r\n"
            return OriginScript([.raw(Array("HTTP/1.1 200 OK\r\n".utf8)), .endless(Array(line.utf8))])
        case .notHTTP:
            let text = "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n\u{0}\u{1}\u{2}not a protocol for files\r\n"
            return OriginScript([.raw(Array(text.utf8)), .close])
        case .http09:
            return OriginScript([.raw(Array("<html>This is an answer of 1991.</html>\n".utf8)), .close])
        case .switchingProtocols:
            let fields = [OriginField("Connection", "Upgrade"), OriginField("Upgrade", "websocket")]
            return OriginScript([
                .head(OriginHead(status: 101, fields: fields)), .raw(Array("\u{1}\u{5}frame".utf8)), .close,
            ])
        default:
            return nil
        }
    }

    /// The file as it is for this request.
    func effective(_ resource: OriginResource, _ counter: OriginCounters) -> OriginResource {
        var effective = resource
        for behavior in resource.behaviors {
            switch behavior {
            case .changesContent(let change):
                let isChanged =
                    switch change.trigger {
                    case .requests(let count): counter.requests > count
                    case .bytes(let count): counter.bytes >= count
                    case .otherNode: connection.isMultiple(of: 2)
                    }
                if isChanged { effective = change.changed(effective) }
            case .totalChanges(let count):
                effective.size += Int64(max(0, counter.requests - count))
            case .flappingETag:
                if connection.isMultiple(of: 2) { effective.etag = "\"v1-of-another-node\"" }
            case .weakETagOnly:
                effective.etag = effective.etag.map { "W/" + $0 }
                effective.lastModified = nil
            case .dateOnly:
                effective.etag = nil
            case .noValidator:
                effective.etag = nil
                effective.lastModified = nil
            case .unquotedETag:
                effective.etag = effective.etag.map { String($0.filter { $0 != "\"" }) }
            case .zeroLengthFile:
                effective.size = 0
            default:
                break
            }
        }
        return effective
    }
}
