/// Digests of the whole file that servers volunteer in the fields of an answer.
package enum ServerDigests {
    /// What kind of answer the fields came with: it decides what a digest field is about.
    package enum Bearer: Sendable {
        /// The body is the whole file.
        case whole
        /// The body is a part of the file.
        case part
        /// A redirect, which speaks of the file only in fields made for that.
        case redirect
    }

    /// Every digest of the whole file that `fields` holds, one for each algorithm.
    ///
    /// | Field | Whole | Part | Redirect |
    /// | --- | --- | --- | --- |
    /// | `Repr-Digest` (RFC 9530 §3) | yes | yes | no: it is about the redirect's own text |
    /// | `Digest` (RFC 3230 §4.3.2) | yes | yes | yes: mirror redirectors send it (RFC 6249 §6) |
    /// | `X-Linked-ETag` with 64 hexadecimal digits, a SHA-256 | yes | yes | yes: that is where it comes |
    /// | `x-goog-hash` | yes | yes | no |
    /// | `Content-Digest` (RFC 9530 §2), `Content-MD5` (RFC 1864) | yes | no: the part's own | no |
    /// | `x-amz-checksum-*` with `x-amz-checksum-type: FULL_OBJECT` | yes | yes | no |
    /// | `x-amz-checksum-*` without a type | yes | no: may be the stored part's | no |
    ///
    /// All are ignored when a content coding is applied, for then it is unsure which bytes they are of. Two values for
    /// one algorithm refute each other: neither is used.
    package static func read(_ fields: HTTPFields, from bearer: Bearer) -> [ContentDigest] {
        // Most answers have none of these.
        guard fields.lines.contains(where: { mayHoldDigest($0.name) }), RemoteResource.coding(of: fields) == nil else {
            return []
        }
        var found = linked(fields) + named(fields.list("Digest"))
        if bearer != .redirect {
            found += named(fields.list("Repr-Digest"))
            // Objects that are stored compressed and sent plain carry the digest of what is stored.
            let stored = fields["x-goog-stored-content-encoding"] ?? "identity"
            if HTTPFields.equal(stored, "identity") { found += named(fields.list("x-goog-hash")) }
            found += amazon(fields, typeIfAbsent: bearer == .whole ? "FULL_OBJECT" : "")
        }
        if bearer == .whole {
            found += named(fields.list("Content-Digest"))
            if let text = fields["Content-MD5"], let digest = digest(.md5, text) { found.append(digest) }
        }
        return consistent(found)
    }

    /// Whether a field of this name may be one of those above.
    private static func mayHoldDigest(_ name: String) -> Bool {
        switch name.utf8.first {
        case UInt8(ascii: "x"), UInt8(ascii: "X"): true
        case UInt8(ascii: "d"), UInt8(ascii: "D"): HTTPFields.equal(name, "Digest")
        case UInt8(ascii: "r"), UInt8(ascii: "R"): HTTPFields.equal(name, "Repr-Digest")
        case UInt8(ascii: "c"), UInt8(ascii: "C"):
            HTTPFields.equal(name, "Content-Digest") || HTTPFields.equal(name, "Content-MD5")
        default: false
        }
    }

    /// Each digest once, without those whose algorithm has two values: these refute each other.
    package static func consistent(_ found: [ContentDigest]) -> [ContentDigest] {
        found.enumerated().filter { index, digest in
            !found[..<index].contains(digest)
                && !found.contains { $0.algorithm == digest.algorithm && $0.bytes != digest.bytes }
        }.map(\.element)
    }

    /// Members `name=value`, where the value is base64, base64 between colons, or hexadecimal digits (RFC 5843 §3.2).
    private static func named(_ members: [String]) -> [ContentDigest] {
        members.compactMap { member in
            guard let mark = member.firstIndex(of: "=") else { return nil }
            let value = member[member.index(after: mark)...].prefix { $0 != ";" }
            return algorithm(FieldText.trimmed(member[..<mark])).flatMap { digest($0, value) }
        }
    }

    private static func amazon(_ fields: HTTPFields, typeIfAbsent: String) -> [ContentDigest] {
        let type = fields["x-amz-checksum-type"] ?? typeIfAbsent
        guard HTTPFields.equal(FieldText.trimmed(type), "FULL_OBJECT") else { return [] }
        // A composite value is a digest of digests and ends in `-` and the number of parts: no base64, so no digest.
        let kinds: [(String, ContentDigest.Algorithm)] = [("sha256", .sha256), ("sha1", .sha1), ("crc32c", .crc32c)]
        return kinds.compactMap { name, algorithm in
            fields["x-amz-checksum-" + name].flatMap { digest(algorithm, $0) }
        }
    }

    private static func linked(_ fields: HTTPFields) -> [ContentDigest] {
        guard let tag = fields["X-Linked-ETag"].flatMap({ EntityTag($0) }), tag.opaque.utf8.count == 64 else {
            return []
        }
        return digest(.sha256, tag.opaque).map { [$0] } ?? []
    }

    private static func algorithm(_ name: String) -> ContentDigest.Algorithm? {
        switch name.lowercased() {
        case "md5": .md5
        case "sha", "sha1", "sha-1": .sha1
        case "sha-256", "sha256": .sha256
        case "sha-384", "sha384": .sha384
        case "sha-512", "sha512": .sha512
        case "crc32c": .crc32c
        default: nil
        }
    }

    /// Hexadecimal digits of the right number are never base64 of the right length, so the order is no matter of luck.
    private static func digest(_ algorithm: ContentDigest.Algorithm, _ text: some StringProtocol) -> ContentDigest? {
        var value = FieldText.trimmed(text)
        if value.utf8.count >= 2, value.hasPrefix(":"), value.hasSuffix(":") {
            value = String(value.dropFirst().dropLast())
        }
        return FieldText.bytes(hex: value).flatMap { ContentDigest(algorithm, bytes: $0) }
            ?? Base64.decode(value).flatMap { ContentDigest(algorithm, bytes: $0) }
    }
}
