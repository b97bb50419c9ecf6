import HaulCore
import Testing

@Suite struct RedirectPolicyTests {
    static func url(_ scheme: String, _ host: String = "a.example", query: String? = nil) -> ResourceURL {
        ResourceURL(
            scheme: scheme, host: host, port: scheme == "https" ? 443 : 80, path: "/f", query: query, userInfo: nil,
            text: "\(scheme)://\(host)/f" + (query.map { "?" + $0 } ?? ""))
    }

    @Test(arguments: [
        ("http", "http", true), ("http", "https", true), ("https", "https", true), ("https", "http", false),
    ])
    func neverFallsToPlain(from: String, to: String, follows: Bool) {
        let verdict = RedirectPolicy().judge(from: Self.url(from), to: Self.url(to, "b.example"), hops: 0)
        #expect((verdict == .follow) == follows)
    }

    @Test(arguments: [(20, 19, true), (20, 20, false), (0, 0, false), (1, 0, true), (1, 1, false), (-5, 0, false)])
    func countsHops(limit: Int, hops: Int, follows: Bool) {
        let verdict = RedirectPolicy(limit: limit).judge(from: Self.url("http"), to: Self.url("http"), hops: hops)
        #expect((verdict == .follow) == follows)
    }

    @Test func reasonsKeepSecrets() {
        let target = Self.url("http", query: "token=secret")
        for policy in [RedirectPolicy(), RedirectPolicy(limit: 0)] {
            guard case .refuse(let reason) = policy.judge(from: Self.url("https"), to: target, hops: 0) else {
                Issue.record("followed")
                continue
            }
            #expect(!reason.contains("secret"))
        }
    }
}
