import Glibc
import HaulCore
import HaulOrigin
import HaulTestSupport
import Testing

/// The embedded origin, seen through a socket.
@Suite(.inTurn) struct OriginServerTests {
    @Test func `each byte depends on its offset alone`() {
        let content = OriginContent(seed: 9)
        let whole = content.bytes(0..<1000)
        for start in Int64(0)..<40 {
            for length in Int64(0)..<40 {
                #expect(content.bytes(start..<start + length) == Array(whole[Int(start)..<Int(start + length)]))
            }
        }
        #expect(whole.indices.allSatisfy { content.byte(at: Int64($0)) == whole[$0] })
        #expect(content.bytes(5_000_000_000_000..<5_000_000_001_000) != whole)
        #expect(OriginContent(seed: 10).bytes(0..<1000) != whole)
    }

    @Test func `patterns differ where they should`() {
        let plain = OriginContent(seed: 1)
        let other = OriginContent(seed: 2)
        let altered = OriginContent(seed: 1, pattern: .altered(every: 3, seed: 2))
        for block in Int64(0)..<7 {
            let range = (block * 65_536 + 5)..<((block + 1) * 65_536)
            #expect(altered.bytes(range) == (block % 3 == 0 ? other : plain).bytes(range))
        }
        #expect(altered.bytes(65_530..<131_080).map { $0 } == (65_530..<131_080).map { altered.byte(at: $0) })
        #expect(OriginContent(seed: 1, pattern: .uniform(7)).bytes(5..<9) == [7, 7, 7, 7])
    }

    @Test func `words are spread over a terabyte without repeating`() {
        let content = OriginContent(seed: 3)
        var random = SeededRandom(seed: 4)
        var seen: Set<[UInt8]> = []
        for _ in 0..<20_000 {
            let offset = Int64.random(in: 0..<1 << 37, using: &random) * 8
            seen.insert(content.bytes(offset..<offset + 8))
        }
        #expect(seen.count >= 19_999)
    }

    @Test(arguments: [
        ("bytes=0-9", Int64(0)..<Int64(10)), ("bytes=99990-", 99_990..<100_000), ("bytes=-7", 99_993..<100_000),
        ("bytes=99999-200000", 99_999..<100_000), ("bytes=5-5", 5..<6),
    ]) func `serves ranges`(field: String, range: Range<Int64>) async throws {
        let resource = OriginResource("/f", size: 100_000, seed: 2)
        let server = try OriginServer(resource)
        let answer = await BackgroundThread.run { [port = server.port] in
            OriginTestClient(port: port).get("/f", [OriginField("Range", field)])
        }
        #expect(answer.status == 206)
        #expect(answer.body == resource.content.bytes(range))
        let wanted = "bytes \(range.lowerBound)-\(range.upperBound - 1)/100000"
        #expect(answer.fields.first { $0.name == "Content-Range" }?.value == wanted)
    }

    @Test(arguments: [
        ("\"v1\"", 206), ("\"v2\"", 200), ("W/\"v1\"", 200), ("Tue, 14 Nov 2023 22:13:20 GMT", 206),
        ("Tue, 14 Nov 2023 22:13:21 GMT", 200),
    ]) func `heeds If-Range`(condition: String, status: Int) async throws {
        let server = try OriginServer(OriginResource("/f", size: 1000))
        let answer = await BackgroundThread.run { [port = server.port] in
            OriginTestClient(port: port).get(
                "/f", [OriginField("Range", "bytes=1-2"), OriginField("If-Range", condition)])
        }
        #expect(answer.status == status)
    }

    @Test func `answers HEAD without a body, and an unknown path with 404`() async throws {
        let server = try OriginServer(OriginResource("/f", size: 1000))
        let (head, missing) = await BackgroundThread.run { [port = server.port] in
            let client = OriginTestClient(port: port, quiet: 200)
            client.connectIfNeeded()
            client.send("HEAD", "/f")
            let head = client.receiveRaw()
            client.disconnect()
            return (String(decoding: head, as: UTF8.self), client.get("/g"))
        }
        #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(head.contains("\r\nContent-Length: 1000\r\n"))
        #expect(head.hasSuffix("\r\n\r\n"))
        #expect(missing.status == 404)
    }

    @Test func `keeps one connection for many requests, and writes a log`() async throws {
        let server = try OriginServer(OriginResource("/f", size: 5000))
        await BackgroundThread.run { [port = server.port] in
            let client = OriginTestClient(port: port)
            _ = client.get("/f?x=1", [OriginField("Range", "bytes=0-99"), OriginField("If-Range", "\"v1\"")])
            _ = client.get("/f")
            client.disconnect()
            _ = client.get("/nothing")
        }
        let log = server.requests
        #expect(log.map(\.connection) == [1, 1, 2])
        #expect(log.map(\.place) == [1, 2, 1])
        #expect(log.map(\.path) == ["/f", "/f", "/nothing"])
        #expect(log.map(\.range) == ["bytes=0-99", nil, nil])
        #expect(log.map(\.ifRange) == ["\"v1\"", nil, nil])
        #expect(log.map(\.status) == [206, 200, 404])
        #expect(log.map(\.bodyBytes) == [100, 5000, 4])
        #expect(log.allSatisfy { ($0.finished ?? .zero) >= $0.started })
        #expect(server.connectionsAccepted == 2)
        server.forgetRequests()
        #expect(server.requests.isEmpty)
    }

    @Test func `stops in the middle of everything`() async throws {
        let resources = [
            OriginResource("/big", size: 1 << 40),
            OriginResource("/stall", size: 9, behavior: .stallBeforeHeaders(times: 9)),
            OriginResource("/slow", size: 1 << 30, behavior: .dripFeed(rate: 1)),
            OriginResource("/late", size: 9, behavior: .latency(.seconds(3600))),
        ]
        let server = try OriginServer(OriginConfiguration(resources))
        await BackgroundThread.run { [port = server.port] in
            let clients = ["/big", "/stall", "/slow", "/late"].map { path in
                let client = OriginTestClient(port: port)
                client.connectIfNeeded()
                client.send("GET", path)
                return client
            }
            while server.requests.count < clients.count { sched_yield() }
            server.stop()
        }
        #expect(server.connectionsPeak == 4)
        server.stop()
    }

    @Test func `a replaced resource keeps its counters`() async throws {
        let server = try OriginServer(
            OriginResource("/f", size: 100, behavior: .refuses(status: 503, times: 2, retryAfter: .none)))
        let statuses = await BackgroundThread.run { [port = server.port] in
            let client = OriginTestClient(port: port)
            let before = [client.get("/f").status, client.get("/f").status, client.get("/f").status]
            var other = OriginResource("/f", size: 50, behavior: .refuses(status: 503, times: 2, retryAfter: .none))
            other.etag = "\"v2\""
            server.replace(other)
            let after = client.get("/f")
            return before + [after.status, after.body.count]
        }
        #expect(statuses == [503, 503, 200, 200, 50])
    }
}
