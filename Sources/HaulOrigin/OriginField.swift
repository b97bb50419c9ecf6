/// One field line of a request or an answer, spelled as it travels.
package struct OriginField: Hashable, Sendable {
    /// Name as spelled; compared without regard to case.
    package var name: String
    /// Value without the white space around it.
    package var value: String

    /// Makes a field line.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension [OriginField] {
    /// Value of the first line called `name`, nil if there is none.
    package func value(_ name: String) -> String? {
        first { Self.isSame($0.name, name) }?.value
    }

    /// Replaces every line called `name` by one, or by none if `value` is nil.
    mutating func set(_ name: String, _ value: String?) {
        let place = firstIndex { Self.isSame($0.name, name) }
        removeAll { Self.isSame($0.name, name) }
        guard let value else { return }
        insert(OriginField(name, value), at: Swift.min(place ?? count, count))
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.lowercased() == right.lowercased()
    }
}
