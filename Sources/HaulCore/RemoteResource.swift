/// What one answer tells about the resource behind an address.
package struct RemoteResource: Hashable, Sendable {
    /// Size of the whole in bytes, nil if the answer does not say it.
    package var size: Int64?
    /// Whether ranges work: proved by a part that says where it belongs, never by a promise.
    package var acceptsRanges: Bool
    /// Whether the server says that ranges do not work (`Accept-Ranges: none`, RFC 9110 §14.3).
    package var advertisesNoRanges: Bool
    /// Which version it is.
    package var validators: EntityValidators
    /// Media type without parameters, in lower case.
    package var mediaType: String?
    /// `Content-Disposition` as it came; `SuggestedName` reads it.
    package var contentDisposition: String?
    /// Content coding in which the bytes come, nil for none; see `AnswerExpectation.coding`.
    package var coding: String?
    /// Digests of the whole file that the server volunteers.
    package var digests: [ContentDigest]
    /// Where else the file is, as the server says.
    package var links: MirrorLinks

    /// Makes a description from parts.
    package init(
        size: Int64?, acceptsRanges: Bool = false, advertisesNoRanges: Bool = false,
        validators: EntityValidators = EntityValidators(entityTag: nil, lastModified: nil), mediaType: String? = nil,
        contentDisposition: String? = nil, coding: String? = nil, digests: [ContentDigest] = [],
        links: MirrorLinks = MirrorLinks()
    ) {
        self.size = size
        self.acceptsRanges = acceptsRanges
        self.advertisesNoRanges = advertisesNoRanges
        self.validators = validators
        self.mediaType = mediaType
        self.contentDisposition = contentDisposition
        self.coding = coding
        self.digests = digests
        self.links = links
    }

    /// Reads the fields of an answer with a body.
    ///
    /// - Parameters:
    ///   - fields: the fields of a 200 or 206.
    ///   - size: size of the whole, as judged.
    ///   - isPartial: whether the answer has proved to be a part.
    ///   - isWhole: whether its body is the whole file, which makes digests of the body digests of the file.
    package init(_ fields: HTTPFields, size: Int64?, isPartial: Bool, isWhole: Bool) {
        let coding = Self.coding(of: fields)
        self.init(
            size: size,
            acceptsRanges: isPartial,
            advertisesNoRanges: fields.list("Accept-Ranges").contains { HTTPFields.equal($0, "none") },
            validators: EntityValidators(fields),
            mediaType: Self.mediaType(of: fields),
            contentDisposition: fields["Content-Disposition"],
            coding: coding,
            digests: ServerDigests.read(fields, from: isWhole ? .whole : .part),
            links: MirrorLinks(fields))
    }

    private static let idleCodings: Set = [
        "identity", "none", "binary", "utf-8", "utf8", "7bit", "8bit", "aws-chunked",
    ]

    /// `Last-Modified` in seconds since 1970: the finished file's modification time.
    package var lastModified: Int64? { validators.lastModifiedSeconds }

    /// Media type without parameters, in lower case (RFC 9110 §8.3).
    package static func mediaType(of fields: HTTPFields) -> String? {
        guard let value = fields["Content-Type"] else { return nil }
        if isPlain(value.utf8) { return value }
        let type = value.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
        let name = FieldText.trimmed(Substring(type)).lowercased()
        return name.isEmpty ? nil : name
    }

    /// Whether a media type stands alone, in lower case: as it comes for most files.
    private static func isPlain(_ value: String.UTF8View) -> Bool {
        for byte in value {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"),
                UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
                break
            default: return false
            }
        }
        return !value.isEmpty
    }

    /// The content codings in lower case and in order (RFC 9110 §8.4), nil if there are none.
    ///
    /// Labels that are found there by mistake, and do not change the bytes, do not count: the names of character sets,
    /// and the framing of uploads that some object stores keep with the object.
    package static func coding(of fields: HTTPFields) -> String? {
        let codings = fields.list("Content-Encoding").map { $0.lowercased() }.filter { !idleCodings.contains($0) }
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }
}
