import Haul

/// What all requests of one run have in common, and how a line of an input file changes it.
struct RequestTemplate: Sendable {
    /// A request to the first address, complete but for it.
    var request: DownloadRequest
    /// The directory for files, as given.
    var directory: String?
    /// The library's own check.
    let validate: @Sendable (DownloadRequest) throws(DownloadError) -> Void

    /// The request for one address.
    func request(_ url: String) -> DownloadRequest {
        var request = request
        request.url = url
        return request
    }

    /// The request for an item of an input file.
    ///
    /// - Returns: the request, or the line that can't be used and why.
    func request(_ item: InputItem) -> Result<DownloadRequest, InputProblem> {
        var request = request(item.urls.first ?? "")
        request.mirrors = Array(item.urls.dropFirst())
        var directory = directory
        var output: String?
        for option in item.options {
            do throws(UsageError) {
                switch option.value.spelling {
                case "out": output = try Self.output(option.value)
                case "dir": directory = try option.value.nonEmpty()
                default: try Self.apply(option.value, to: &request)
                }
            } catch {
                return .failure(InputProblem(line: option.line, message: error.message))
            }
        }
        request.destination = output.map { .file(Self.joined(directory, $0)) } ?? .directory(directory ?? ".")
        do throws(DownloadError) { try validate(request) } catch {
            return .failure(InputProblem(line: item.line, message: Printable.escaping(error.message)))
        }
        return .success(request)
    }

    /// A path in a directory; one that begins at the root stays.
    static func joined(_ directory: String?, _ path: String) -> String {
        guard let directory, !path.hasPrefix("/") else { return path }
        return directory + (directory.hasSuffix("/") ? "" : "/") + path
    }

    private static func output(_ value: FlagValue) throws(UsageError) -> String {
        let name = try value.nonEmpty()
        guard !name.hasSuffix("/") else {
            throw UsageError("'\(Printable.escaping(name))' is a directory: use dir= to put the file into it")
        }
        return name
    }

    private static func apply(_ value: FlagValue, to request: inout DownloadRequest) throws(UsageError) {
        switch value.spelling {
        case "checksum": request.checksums.append(try value.checksum())
        case "header": request.headers.append(try value.header())
        case "referer": request.headers.append(try field("Referer", value))
        case "user-agent": request.headers.append(try field("User-Agent", value))
        default:
            // aria2 takes the smaller of the two.
            let count = try value.integer(in: 1...256)
            request.connections = min(request.connections ?? count, count)
        }
    }

    private static func field(_ name: String, _ value: FlagValue) throws(UsageError) -> String {
        try FlagValue(spelling: value.spelling, text: "\(name): \(try value.nonEmpty())").header()
    }
}
