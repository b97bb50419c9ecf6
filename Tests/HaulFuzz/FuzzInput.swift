/// Takes an input apart into numbers and texts, so that most mutations of it still mean something.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    /// Begins at the first byte.
    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Whether nothing is left.
    var isEmpty: Bool { rest.isEmpty }

    /// All that is left.
    var remaining: [UInt8] { Array(rest) }

    /// The next byte, 0 at the end.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A number below `limit`.
    mutating func choice(_ limit: UInt8) -> UInt8 { byte() % limit }

    /// A number: often one at the edge of what a type holds, or near another.
    ///
    /// - Parameter near: such another number.
    /// - Returns: the number.
    mutating func number(near: Int64) -> Int64 {
        switch choice(10) {
        case 0: 0
        case 1: near
        case 2: .max
        case 3: .min
        case 4: -1
        case 5: near &+ Int64(Int8(bitPattern: byte()))
        case 6: .max &- Int64(byte())
        case 7: Int64(byte())
        case 8: Int64(byte()) &* (1 << 20)
        default: (0..<8).reduce(0) { number, _ in number << 8 | Int64(byte()) }
        }
    }

    /// A text of at most 255 bytes, of any bytes.
    mutating func text() -> [UInt8] {
        let part = rest.prefix(Int(byte()))
        rest = rest.dropFirst(part.count)
        return Array(part)
    }
}
