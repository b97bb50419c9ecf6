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
        let usual = [
            url, place.kind, place.name, range.map { "\($0)" } ?? "", expectedSize.map { "\($0)" } ?? "",
            existing.letter, discardsPartial ? "d" : "",
        ]
        return Fingerprint(isUsual ? usual : usual + rest)
    }

    /// Whether it has nothing of what few requests have.
    private var isUsual: Bool {
        mirrors.isEmpty && headers.isEmpty && referer == nil && cookies == nil && credentials == nil
            && checksums.isEmpty && checksumFile == nil && prefix == nil && !prefixIsOptional && pieces == nil
            && secretsOwner == .url
    }

    private var rest: [String] {
        [
            mirrors.joined(separator: "\n"), headers.joined(separator: "\n"), referer ?? "", cookies ?? "",
            credentials.map { "\($0.name):\($0.password)" } ?? "",
            checksums.map(\.description).joined(separator: " "), checksumFile ?? "", prefix ?? "",
            prefixIsOptional ? "p" : "", pieces.map { String($0.hashValue) } ?? "",
            secretsOwner == .url ? "" : "\(secretsOwner)",
        ]
    }
}

extension DownloadRequest.ExistingFilePolicy {
    /// Tells the policies apart; their names as text would be looked up at run time.
    fileprivate var letter: String {
        switch self {
        case .verify: "v"
        case .trust: "t"
        case .replace: "r"
        case .refuse: "n"
        case .resume: "g"
        }
    }
}
