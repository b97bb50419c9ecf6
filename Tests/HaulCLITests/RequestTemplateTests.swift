import Haul
import Testing

@testable import HaulCLI

@Suite struct RequestTemplateTests {
    private func request(
        _ options: [(String, String)], directory: String? = "base"
    ) -> Result<DownloadRequest, InputProblem> {
        var base = DownloadRequest("", to: .directory(directory ?? "."))
        base.headers = ["X-A: b"]
        let template = RequestTemplate(request: base, directory: directory) { request throws(DownloadError) in
            if !request.url.hasPrefix("http") { throw DownloadError(.invalidRequest, "no http") }
        }
        let item = InputItem(
            line: 3, urls: ["http://h/a", "http://m/a"],
            options: options.enumerated().map {
                InputItem.Option(line: 4 + $0.offset, value: FlagValue(spelling: $0.element.0, text: $0.element.1))
            })
        return template.request(item)
    }

    @Test(
        arguments: [
            ([], .directory("base")),
            ([("out", "x")], .file("base/x")),
            ([("dir", "d/"), ("out", "x")], .file("d/x")),
            ([("out", "/x")], .file("/x")),
            ([("dir", "d")], .directory("d")),
        ] as [([(String, String)], DownloadRequest.Destination)])
    func destinations(_ options: [(String, String)], _ destination: DownloadRequest.Destination) throws {
        let request = try request(options).get()
        #expect(request.destination == destination)
        #expect(request.url == "http://h/a" && request.mirrors == ["http://m/a"])
    }

    @Test func everyOptionArrives() throws {
        let request = try request([
            ("checksum", "crc32c=00000000"), ("header", "B: c"), ("referer", "http://r/"), ("user-agent", "me"),
            ("split", "5"), ("max-connection-per-server", "3"),
        ]).get()
        #expect(request.headers == ["X-A: b", "B: c", "Referer: http://r/", "User-Agent: me"])
        #expect(request.checksums.count == 1 && request.connections == 3)
    }

    @Test(
        arguments: [
            ([("split", "0")], 4), ([("out", "a"), ("checksum", "md5=1")], 5), ([("header", "x")], 4),
            ([("out", "d/")], 4), ([("dir", "")], 4), ([("header", "Range: bytes=0-1")], 4),
        ] as [([(String, String)], Int)])
    func badOptionsNameTheirLine(_ options: [(String, String)], _ line: Int) {
        guard case .failure(let problem) = request(options) else {
            Issue.record("accepted")
            return
        }
        #expect(problem.line == line && !problem.message.isEmpty)
    }
}
