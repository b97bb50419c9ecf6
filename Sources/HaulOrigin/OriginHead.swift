/// Status line and fields of an answer.
package struct OriginHead: Hashable, Sendable {
    /// The version as it is spelled.
    package var version = "HTTP/1.1"
    /// Status code.
    package var status: Int
    /// Field lines in order.
    package var fields: [OriginField]
    /// What ends each line.
    package var lineEnd = "\r\n"

    /// Makes a head.
    package init(status: Int, fields: [OriginField] = []) {
        self.status = status
        self.fields = fields
    }

    /// The head as it travels, with the empty line.
    package var bytes: [UInt8] {
        var text = "\(version) \(status) \(Self.reason(status))\(lineEnd)"
        for field in fields { text += "\(field.name): \(field.value)\(lineEnd)" }
        return Array((text + lineEnd).utf8)
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 103: "Early Hints"
        case 200: "OK"
        case 206: "Partial Content"
        case 302: "Found"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 416: "Range Not Satisfiable"
        case 429: "Too Many Requests"
        case 503: "Service Unavailable"
        default: "Status"
        }
    }
}
