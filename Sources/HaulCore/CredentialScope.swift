/// The user's header lines and credentials, and the one origin that may see them.
///
/// Secrets go to the scheme, host and port they were given for, on every request, and nowhere else: not after a
/// redirect, and not when a request goes straight to the address that a redirect named.
package struct CredentialScope: Hashable, Sendable {
    /// Whom everything was given for.
    package let origin: Origin
    /// Whether the user trusts every host on the way (`--location-trusted`).
    package let sendsEverywhere: Bool

    private let set: [HTTPField]
    private let removed: [String]
    private let basic: BasicCredentials?

    /// Makes a scope.
    ///
    /// - Parameters:
    ///   - headerLines: what the user gave, in curl's spelling.
    ///   - credentials: name and password, nil if there are none.
    ///   - origin: of the address that the user gave them with.
    ///   - sendsEverywhere: whether other origins get them too.
    /// - Throws: the first line that cannot be sent.
    package init(
        headerLines: [String] = [], credentials: BasicCredentials? = nil, origin: Origin, sendsEverywhere: Bool = false
    ) throws(InvalidHeaderLine) {
        var set: [HTTPField] = []
        var removed: [String] = []
        for text in headerLines {
            switch try HeaderLine(text) {
            case .set(let field): set.append(field)
            case .removed(let name): removed.append(name)
            }
        }
        self.set = set
        self.removed = removed
        self.origin = origin
        self.sendsEverywhere = sendsEverywhere
        basic = credentials
    }

    /// The user's fields for a request to `origin`.
    package func fields(for origin: Origin) -> HTTPFields {
        HTTPFields(set.filter { trusts(origin) || HeaderLine.isHarmless($0.name) })
    }

    /// `defaults` with the user's fields for a request to `origin` in place of those of the same name.
    ///
    /// Fields that the user removed (`Name:`) are left out for every origin.
    package func fields(for origin: Origin, over defaults: HTTPFields) -> HTTPFields {
        if set.isEmpty, removed.isEmpty { return defaults }
        let mine = fields(for: origin)
        let kept = defaults.lines.filter { line in
            mine[line.name] == nil && !removed.contains { HTTPFields.equal($0, line.name) }
        }
        return HTTPFields(kept + mine.lines)
    }

    /// Name and password for a request to `origin`, nil if it must not see them.
    package func credentials(for origin: Origin) -> BasicCredentials? { trusts(origin) ? basic : nil }

    private func trusts(_ origin: Origin) -> Bool { sendsEverywhere || origin == self.origin }
}

extension CredentialScope: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(set.count) fields for \(origin.scheme)://\(origin.host):\(origin.port)" }
    package var debugDescription: String { description }
    /// Nothing inside: values would otherwise appear wherever something that holds a scope is dumped.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
