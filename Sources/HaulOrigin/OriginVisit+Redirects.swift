extension OriginVisit {
    /// What a behaviour that redirects answers, nil if the request has arrived.
    func redirect(_ behavior: OriginBehavior, _ counter: inout OriginCounters) -> OriginScript? {
        switch behavior {
        case .redirectChain(let hops):
            let hop = request.parameter("hop").flatMap { Int($0) } ?? 0
            return hop < hops ? found(at: target("hop", "\(hop + 1)")) : nil
        case .redirectLoop:
            let hop = request.parameter("hop").flatMap { Int($0) } ?? 0
            return found(at: target("hop", "\(1 - hop)"))
        case .redirectCrossHost:
            guard request.parameter("moved") == nil else { return nil }
            return found(at: "\(scheme)://\(otherHost)\(target("moved", "1"))")
        case .redirectToFile:
            return found(at: "file:///etc/passwd")
        case .redirectDowngrade:
            guard request.parameter("plain") == nil else { return nil }
            return found(at: "http://\(host)\(target("plain", "1"))")
        case .redirectWithoutLocation:
            return found(at: nil)
        case .redirectToGarbage:
            return found(at: "http://[:::/ %zz\u{1}")
        case .signedRedirectExpires(let requests, let lifetime):
            guard let token = request.parameter("token").flatMap({ Int($0) }), counter.tokens.indices.contains(token)
            else {
                counter.tokens.append((uses: 0, made: moment.elapsed))
                return found(at: target("token", "\(counter.tokens.count - 1)"))
            }
            counter.tokens[token].uses += 1
            let isExpired =
                counter.tokens[token].uses > requests || moment.elapsed - counter.tokens[token].made > lifetime
            return isExpired ? refusal(403, .none, keepsConnection: true) : nil
        case .cookieOnRedirect:
            guard request.parameter("cookie") != nil else {
                return found(
                    at: target("cookie", "1"), fields: [OriginField("Set-Cookie", "pass=open; Path=/; HttpOnly")])
            }
            let cookies = request.fields.value("Cookie") ?? ""
            return cookies.contains("pass=open") ? nil : refusal(403, .none, keepsConnection: true)
        default:
            return nil
        }
    }

    private func found(at location: String?, fields: [OriginField] = []) -> OriginScript {
        let location = location.map { [OriginField("Location", $0)] } ?? []
        return refusal(302, .none, fields: location + fields, keepsConnection: true)
    }

    /// The request's target with a parameter added, or replaced.
    private func target(_ name: String, _ value: String) -> String {
        let query = request.target.drop { $0 != "?" }.dropFirst()
        let others = query.split(separator: "&").filter { !$0.hasPrefix(name + "=") }.map { String($0) }
        return request.path + "?" + (others + ["\(name)=\(value)"]).joined(separator: "&")
    }

    private var host: String { request.fields.value("Host") ?? "127.0.0.1" }

    /// Another name for the same origin.
    private var otherHost: String {
        let port = host.drop { $0 != ":" }
        return switch host.prefix(while: { $0 != ":" }) {
        case "127.0.0.1": "localhost\(port)"
        case "localhost": "127.0.0.1\(port)"
        default: "other.\(host)"
        }
    }
}
