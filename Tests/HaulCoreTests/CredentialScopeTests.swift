import HaulCore
import Testing

@Suite struct HeaderLineTests {
    @Test(arguments: [
        ("X-Token: abc", HeaderLine.set(HTTPField("X-Token", "abc"))),
        ("X-Token:abc", .set(HTTPField("X-Token", "abc"))),
        ("X-Token: \t a: b; c \t", .set(HTTPField("X-Token", "a: b; c"))),
        ("X-Tab: a\tb", .set(HTTPField("X-Tab", "a\tb"))),
        ("X-Name: é", .set(HTTPField("X-Name", "é"))),
        ("X-Empty;", .set(HTTPField("X-Empty", ""))),
        ("X-Empty; ", .set(HTTPField("X-Empty", ""))),
        ("Accept:", .removed(name: "Accept")),
        ("User-Agent: ", .removed(name: "User-Agent")),
        ("Accept-Encoding: identity", .set(HTTPField("Accept-Encoding", "identity"))),
        ("!#$%&'*+-.^_`|~09azAZ: 1", .set(HTTPField("!#$%&'*+-.^_`|~09azAZ", "1"))),
    ])
    func reads(line: String, expected: HeaderLine) throws {
        #expect(try HeaderLine(line) == expected)
    }

    @Test(arguments: [
        "", ":", ";", ": x", "Name", "Na me: x", " Name: x", "Name : x", "Näme: x", "Na(me: x", "\u{7F}: x", "Name; x",
        "Name: a\r\nHost: b", "Name: a\nb", "Name: a\rb", "Name: a\u{0}b", "Name: a\u{1B}[31m", "Name: a\u{7F}",
        "Na\r\nme: x", "Range: bytes=0-1", "range:", "RANGE;", "If-Range: x", "Host: x", "Accept-Encoding: gzip",
        "Content-Length: 5", "Transfer-Encoding: chunked", "Connection: close", "Expect: 100-continue",
        "If-None-Match: *",
        "If-Modified-Since: x", "Proxy-Authorization: Basic x", "Upgrade: h2c", "@file",
    ])
    func refuses(line: String) {
        #expect(throws: InvalidHeaderLine.self) { try HeaderLine(line) }
    }

    @Test(arguments: ["Authorization Bearer s3cret", "X Y: s3cret", "X-A: s3cret\n", "X-A; s3cret", "Range: s3cret"])
    func reasonsKeepSecrets(line: String) {
        let error = #expect(throws: InvalidHeaderLine.self) { try HeaderLine(line) }
        #expect(error?.reason.contains("s3cret") == false)
    }
}

@Suite struct CredentialScopeTests {
    static let home = Origin(scheme: "https", host: "a.example", port: 443)
    static let strangers = [
        Origin(scheme: "http", host: "a.example", port: 443), Origin(scheme: "https", host: "b.example", port: 443),
        Origin(scheme: "https", host: "a.example", port: 8443), Origin(scheme: "https", host: "x.a.example", port: 443),
    ]
    static let lines = [
        "Authorization: s3cret", "Cookie: s3cret", "X-Auth-Token: s3cret", "Accept: text/plain", "accept-language: de",
        "Referer: r", "USER-AGENT: me",
    ]
    static let basic = BasicCredentials(name: "ann", password: "s3cret")

    @Test func homeSeesAll() throws {
        let scope = try CredentialScope(headerLines: Self.lines, credentials: Self.basic, origin: Self.home)
        #expect(scope.fields(for: Self.home).lines.count == Self.lines.count)
        #expect(scope.credentials(for: Self.home) == Self.basic)
    }

    @Test(arguments: strangers)
    func strangersSeeNoSecret(origin: Origin) throws {
        let scope = try CredentialScope(headerLines: Self.lines, credentials: Self.basic, origin: Self.home)
        let names = scope.fields(for: origin).lines.map(\.name)
        #expect(names == ["Accept", "accept-language", "Referer", "USER-AGENT"])
        #expect(scope.credentials(for: origin) == nil)
        let trusting = try CredentialScope(
            headerLines: Self.lines, credentials: Self.basic, origin: Self.home, sendsEverywhere: true)
        #expect(trusting.fields(for: origin).lines.count == Self.lines.count)
        #expect(trusting.credentials(for: origin) == Self.basic)
    }

    @Test func replacesAndRemovesDefaults() throws {
        let defaults = HTTPFields([HTTPField("User-Agent", "haul"), HTTPField("Accept", "*/*"), HTTPField("X", "1")])
        let scope = try CredentialScope(headerLines: ["user-agent: me", "ACCEPT:", "x: 2", "X: 3"], origin: Self.home)
        #expect(
            scope.fields(for: Self.home, over: defaults).lines
                == [HTTPField("user-agent", "me"), HTTPField("x", "2"), HTTPField("X", "3")])
        #expect(
            scope.fields(for: Self.strangers[0], over: defaults).lines
                == [HTTPField("X", "1"), HTTPField("user-agent", "me")])
    }

    @Test func showsNoSecret() throws {
        let scope = try CredentialScope(headerLines: Self.lines, credentials: Self.basic, origin: Self.home)
        var dumped = "\(scope) \(String(reflecting: scope))"
        dump([scope], to: &dumped)
        #expect(!dumped.contains("s3cret"))
    }
}
