/// A list of checksums of several files, as `sha256sum` and BSD's `sha256` write it.
///
/// Read line by line on each look-up, so that a long list takes no more memory than its bytes.
package struct ChecksumList: Sendable {
    /// Why a list gives no digest.
    package struct Problem: Error, Hashable, Sendable {
        /// What is wrong, beginning with the list's name and the line concerned.
        package let reason: String
    }

    /// A digest and the line that gives it.
    private struct Match {
        let digest: ContentDigest
        let line: Int
    }

    private let bytes: [UInt8]
    /// What messages call the list.
    private let label: String
    /// What 128 digits without an algorithm's name are.
    private let longest: ContentDigest.Algorithm

    /// Makes a list from its bytes.
    ///
    /// - Parameters:
    ///   - bytes: the whole list.
    ///   - label: what messages call it.
    /// - Throws: when it is no text.
    package init(_ bytes: [UInt8], label: String) throws(Problem) {
        guard !bytes.contains(0) else {
            throw Problem(reason: "\(label): this is no list of checksums but binary data")
        }
        self.bytes = bytes
        self.label = label
        let name = label.split(separator: "/").last.map { $0.lowercased() } ?? ""
        longest = name.contains("b2") || name.contains("blake2") ? .blake2b : .sha512
    }

    /// The digests of a file that may be known under several names.
    ///
    /// Paths in the list count by their last part. A list with a single digest and no name is about any file.
    ///
    /// - Parameter names: what the file may be called there.
    /// - Returns: one digest or more, of different algorithms.
    /// - Throws: when no entry is the file's, or two contradict each other.
    package func digests(for names: [String]) throws(Problem) -> [ContentDigest] {
        var matches: [Match] = []
        var nameless: [Match] = []
        var entries = 0
        var badLine: Int?
        var badLineWithName: Int?
        forEachLine { number, text in
            guard let entry = ChecksumLine(text, longest: longest) else {
                badLine = badLine ?? number
                if names.contains(where: { text.hasSuffix($0) || text.contains("(\($0))") }) {
                    badLineWithName = badLineWithName ?? number
                }
                return
            }
            entries += 1
            let match = Match(digest: entry.digest, line: number)
            guard let name = entry.name else { return nameless.append(match) }
            if names.contains(String(name.split(separator: "/").last ?? "")) { matches.append(match) }
        }
        if matches.isEmpty, nameless.count == 1, entries == 1 { matches = nameless }
        let shown = names.map { "'\($0)'" }.joined(separator: " or ")
        guard !matches.isEmpty else {
            if let badLineWithName {
                throw Problem(
                    reason: "\(label):\(badLineWithName): the line of \(shown) is no checksum: 'HEX  NAME' is needed")
            }
            guard entries > 0 else {
                throw Problem(reason: "\(label)\(badLine.map { ":\($0)" } ?? ""): this is no list of checksums")
            }
            throw Problem(
                reason: "\(label): none of its \(entries) entries is for \(shown): check the list, or use --checksum")
        }
        try check(matches, shown)
        return matches.map(\.digest).enumerated().filter { index, digest in
            !matches[..<index].contains { $0.digest == digest }
        }.map(\.element)
    }

    private func check(_ matches: [Match], _ names: String) throws(Problem) {
        for match in matches {
            let other = matches.first {
                $0.digest.algorithm == match.digest.algorithm && $0.digest.bytes != match.digest.bytes
            }
            guard let other else { continue }
            throw Problem(
                reason: "\(label):\(max(match.line, other.line)): another \(match.digest.algorithm.rawValue) for "
                    + "\(names) than in line \(min(match.line, other.line)): use --checksum to say which")
        }
    }

    /// Hands out the lines that may hold entries: no blank ones, comments, or parts of a signature (RFC 4880 §7).
    private func forEachLine(_ body: (Int, String) -> Void) {
        var number = 0
        var isHeader = false
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            var text = FieldText.trimmed(String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self))
            if number == 1, text.hasPrefix("\u{FEFF}") { text.removeFirst() }
            if text.hasPrefix("-----BEGIN PGP SIGNATURE") { return }
            if text.hasPrefix("-----BEGIN PGP SIGNED MESSAGE") { isHeader = true }
            if text.isEmpty { isHeader = false }
            if text.hasPrefix("- ") { text.removeFirst(2) }
            if isHeader || text.isEmpty || text.hasPrefix("#") || text.hasPrefix(";") { continue }
            body(number, text)
        }
    }
}
