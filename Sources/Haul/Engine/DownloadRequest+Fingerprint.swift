extension DownloadRequest {
    /// What equal requests have in common: they ask for the same bytes in the same way, and put them in the same place.
    ///
    /// Priorities and hooks don't count, nor does the number of connections.
    var fingerprint: Fingerprint {
        let place: (kind: String, name: String) =
            switch destination {
            case .file(let path): ("f", path)
            case .directory(let path): ("d", path)
            case .descriptor(let number): ("s", String(number))
            }
        let rest: [String] = [
            mirrors.joined(separator: "\n"), headers.joined(separator: "\n"), referer ?? "", cookies ?? "",
            credentials.map { "\($0.name):\($0.password)" } ?? "",
            checksums.map(\.description).joined(separator: " "), checksumFile ?? "", prefix ?? "",
            prefixIsOptional ? "p" : "", pieces.map { String($0.hashValue) } ?? "",
            secretsOwner == .url ? "" : "\(secretsOwner)",
        ]
        let hasRest = rest.contains { !$0.isEmpty }
        return Fingerprint(
            [
                url, place.kind, place.name, range.map { "\($0)" } ?? "", expectedSize.map { "\($0)" } ?? "",
                "\(existing)", discardsPartial ? "d" : "",
            ] + (hasRest ? rest : []))
    }
}
