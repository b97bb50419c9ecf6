/// Settings as words, `name=value` each: how a process of the program tells another one what to do.
struct Words {
    private var values: [String: String] = [:]

    /// Makes an empty set.
    init() {}

    /// Reads words; those without `=` are left out.
    init(_ words: some Sequence<String>) {
        for word in words {
            guard let split = word.firstIndex(of: "=") else { continue }
            values[String(word[..<split])] = String(word[word.index(after: split)...])
        }
    }

    /// A setting as text; setting nil removes it.
    subscript(name: String) -> String? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// A setting as a number.
    func number(_ name: String) -> Int64? { values[name].flatMap { Int64($0) } }

    /// Sets a number; nil removes it.
    mutating func set(_ name: String, _ number: (some BinaryInteger)?) { values[name] = number.map { "\($0)" } }

    /// The words, sorted.
    var list: [String] { values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" } }
}
