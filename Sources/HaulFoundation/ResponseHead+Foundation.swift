import Foundation
import HaulCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ResponseHead {
    /// Reads a response's head.
    ///
    /// URLSession keeps no order and joins lines of one name with commas; the fields come in alphabetical order.
    init(_ response: HTTPURLResponse) {
        let lines = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { HTTPField($0, String(describing: value)) }
        }
        self.init(status: response.statusCode, fields: HTTPFields(lines.sorted { $0.name < $1.name }))
    }

    /// Whether the body is coded: URLSession decodes it, and the bytes as stored are not to be had.
    var isCoded: Bool {
        fields.list("Content-Encoding").contains { !HTTPFields.equal($0, "identity") }
    }

    /// Bytes of the body as announced, nil if nothing or several things are.
    var announcedLength: Int64? {
        guard fields["Transfer-Encoding"] == nil, !isCoded, status == 200 || status == 206 else { return nil }
        return fields["Content-Length"].flatMap { Int64($0) }
    }
}
