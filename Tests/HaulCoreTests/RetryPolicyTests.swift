import HaulCore
import Testing

@Suite struct RetryAfterTests {
    static let now: Int64 = 784_111_777

    @Test(arguments: [
        ("0", 0), ("120", 120), (" 7 ", 7), ("1.5", 2), ("2.0", 2), ("Sun, 06 Nov 1994 08:50:37 GMT", 60),
        ("Sunday, 06-Nov-94 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:00:00 GMT", 0), ("2147483647", 2_147_483_647),
        ("99999999999999999999999", 2_147_483_647), ("Fri, 31 Dec 9999 23:59:59 GMT", 2_147_483_647),
    ])
    func reads(text: String, seconds: Int64) {
        #expect(RetryAfter.delay(text, at: Self.now) == .seconds(seconds))
    }

    @Test(arguments: ["", "-1", "soon", "1h", "1.", ".5", "1.2.3", "+5", "0x10", "5 seconds"])
    func refuses(text: String) {
        #expect(RetryAfter.delay(text, at: Self.now) == nil)
    }

    @Test func survivesAnAbsurdPresent() {
        #expect(RetryAfter.delay("Sun, 06 Nov 1994 08:50:37 GMT", at: .min) == nil)
        #expect(RetryAfter.delay("Sun, 06 Nov 1994 08:50:37 GMT", at: .max) == .zero)
    }
}

@Suite struct RetryPolicyTests {
    let policy = RetryPolicy()

    @Test(arguments: [
        (1, 100, 200), (2, 200, 400), (3, 400, 800), (4, 800, 1_600), (5, 1_600, 3_200), (6, 3_200, 6_400),
        (7, 6_400, 12_800), (8, 12_800, 25_600), (9, 15_000, 30_000), (10, 15_000, 30_000), (Int.max, 15_000, 30_000),
        (0, 100, 200), (Int.min, 100, 200),
    ])
    func doubles(attempt: Int, least: Int, most: Int) {
        #expect(policy.delay(attempt: attempt, random: 0) == .milliseconds(least))
        #expect(policy.delay(attempt: attempt, random: 0.5) == .milliseconds((least + most) / 2))
        #expect(policy.delay(attempt: attempt, random: 1) == .milliseconds(most))
        for odd in [-1, Double.nan, -Double.infinity] {
            #expect(policy.delay(attempt: attempt, random: odd) == .milliseconds(least))
        }
    }

    @Test func neverUndercutsTheServer() {
        #expect(policy.delay(attempt: 1, random: 0, retryAfter: .seconds(60)) == .seconds(60))
        #expect(policy.delay(attempt: 1, random: 0.5, retryAfter: .seconds(60)) == .milliseconds(60_100))
        #expect(policy.delay(attempt: 9, random: 0, retryAfter: .seconds(1)) == .seconds(15))
        #expect(policy.delay(attempt: 1, random: 0, retryAfter: RetryAfter.longest) == RetryAfter.longest)
    }

    @Test func countsAttempts() {
        #expect(policy.allows(attempt: 5) && !policy.allows(attempt: 6))
        #expect(!RetryPolicy(limit: 0).allows(attempt: 1))
        #expect(RetryPolicy(limit: -3).limit == 0)
    }

    @Test(arguments: [
        (TransportError.cancelled, FailureClass.cancelled),
        (.nameNotResolved(host: "h"), .retryable),
        (.connectionRefused(host: "h", port: 80), .refusedConnection),
        (.connectionFailed(detail: ""), .retryable),
        (.connectTimedOut, .retryable),
        (.tls(detail: ""), .fatal),
        (.noInterface(name: "tun9", detail: ""), .fatal),
        (.proxyLogin(detail: "CONNECT tunnel failed, response 407"), .fatal),
        (.proxy(detail: "CONNECT tunnel failed, response 502"), .retryable),
        (.brokenBeforeHead(detail: ""), .refusedConnection),
        (.brokenInBody(detail: ""), .retryable),
        (.malformedResponse(detail: ""), .retryable),
        (.headTooLarge, .retryable),
        (.transportFailure(detail: ""), .fatal),
    ])
    func classifiesErrors(error: TransportError, expected: FailureClass) {
        #expect(policy.classify(error) == expected)
    }

    @Test(arguments: [
        (408, FailureClass.retryable), (425, .retryable), (500, .retryable), (502, .retryable), (504, .retryable),
        (507, .retryable), (599, .retryable), (429, .refusedConnection), (503, .refusedConnection),
        (403, .final(unlessOthersLive: true)), (404, .final(unlessOthersLive: true)),
        (400, .final(unlessOthersLive: false)), (401, .final(unlessOthersLive: false)),
        (410, .final(unlessOthersLive: false)), (451, .final(unlessOthersLive: false)),
        (204, .final(unlessOthersLive: false)), (304, .final(unlessOthersLive: false)), (407, .fatal),
    ])
    func classifiesStatuses(status: Int, expected: FailureClass) {
        #expect(policy.classify(status: status) == expected)
    }

    @Test func seesExpiry() {
        #expect((100...599).filter { policy.mayMeanExpiredAddress(status: $0) } == [401, 403, 404, 410])
    }
}
