/// An http or https address, taken apart by the parser that will also make the request.
///
/// Core never parses addresses: `Transport.parse` does, so that what is judged here is what is requested.
package struct ResourceURL: Hashable, Sendable {
    /// `http` or `https`, in lower case.
    package let scheme: String
    /// Host in lower case, IPv6 addresses with their brackets.
    package let host: String
    /// Port number, the scheme's default if the address named none.
    package let port: Int
    /// Path, still percent-encoded, beginning with `/`.
    package let path: String
    /// Query without the question mark, nil if there is none.
    package let query: String?
    /// Name and password given in the address, taken out of `text`.
    package let userInfo: BasicCredentials?
    /// The whole address, without user information and fragment: what is requested.
    package let text: String

    /// Puts an address together from parts that a URL parser delivered.
    package init(
        scheme: String, host: String, port: Int, path: String, query: String?, userInfo: BasicCredentials?,
        text: String
    ) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
        self.query = query
        self.userInfo = userInfo
        self.text = text
    }

    /// What a text is an address of, if it differs from this one in a plain path only; nil if it may mean anything else.
    ///
    /// The addresses of a list mostly do. Plain is what no parser changes: letters, digits, `-`, `_`, `~`, dots that do not
    /// begin a part, single slashes.
    package func sibling(_ text: String) -> ResourceURL? {
        guard query == nil, userInfo == nil else { return nil }
        let mine = Array(self.text.utf8)
        let theirs = Array(text.utf8)
        let start = mine.count - path.utf8.count
        // What is too long for an address is told by the parser.
        guard theirs.count > start, theirs.count <= 1024, theirs[start] == UInt8(ascii: "/") else { return nil }
        for index in 0..<start where mine[index] != theirs[index] { return nil }
        var before: UInt8 = 0
        for index in start..<theirs.count {
            let byte = theirs[index]
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
                break
            case UInt8(ascii: "."), UInt8(ascii: "/"):
                guard before != UInt8(ascii: "/") else { return nil }
            default: return nil
            }
            before = byte
        }
        return ResourceURL(
            scheme: scheme, host: host, port: port, path: String(decoding: theirs[start...], as: UTF8.self), query: nil,
            userInfo: nil, text: text)
    }

    /// Scheme, host and port: whom credentials belong to (RFC 6454 §4).
    package var origin: Origin { Origin(scheme: scheme, host: host, port: port) }

    /// Whether requests to this address are encrypted.
    package var isSecure: Bool { scheme == "https" }

    /// The address for messages and logs: the query, which may hold a signature, is replaced by `?…`.
    package var redacted: String {
        guard query != nil, let mark = text.firstIndex(of: "?") else { return text }
        return String(text[..<mark]) + "?…"
    }
}

/// Scheme, host and port of an address (RFC 6454 §4).
package struct Origin: Hashable, Sendable {
    /// `http` or `https`.
    package let scheme: String
    /// Host in lower case.
    package let host: String
    /// Port number.
    package let port: Int

    /// Makes an origin.
    package init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }
}

/// A name and a password for HTTP authentication.
package struct BasicCredentials: Hashable, Sendable {
    /// User name.
    package let name: String
    /// Password, possibly empty.
    package let password: String

    /// Makes credentials.
    package init(name: String, password: String) {
        self.name = name
        self.password = password
    }
}

extension BasicCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name alone, so that no log shows the password by accident.
    package var description: String { "\(name):…" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a text is no address that haul can fetch from.
package struct InvalidURL: Error, Hashable, Sendable {
    /// What is wrong with it, in words.
    package let reason: String

    /// Makes the error.
    package init(reason: String) { self.reason = reason }
}
