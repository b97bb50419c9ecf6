/// Cuts bytes into lines, of which none may fill the memory.
struct LineSplitter {
    /// Longest line in bytes.
    static let longest = 64 << 10

    /// Bytes of one line after which it counts as endless: nothing that is a list has such a line.
    private static let endless = 16 << 20

    /// What was found.
    enum Line: Hashable, Sendable {
        /// A line without its end.
        case text(String)
        /// A line that can't be used, and why; one that is indented belongs to the one above.
        case broken(String, isIndented: Bool)
    }

    private var pending: [UInt8] = []
    private var isSkipping = false
    private var skipped = 0
    private var isIndented = false

    /// Whether the line that is being read has no end, as in a device that hands out zeros.
    var isEndless: Bool { skipped > Self.endless }

    /// Takes the next bytes.
    ///
    /// - Parameters:
    ///   - bytes: a piece of the file.
    ///   - body: gets each line that ends in it.
    mutating func take(_ bytes: [UInt8], _ body: (Line) -> Void) {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            keep(rest[..<end])
            rest = rest[(end + 1)...]
            body(close())
        }
        keep(rest)
    }

    /// The last line, if it has no end.
    mutating func finish() -> Line? { pending.isEmpty && !isSkipping ? nil : close() }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        guard !isSkipping else {
            skipped += bytes.count
            return
        }
        if pending.isEmpty, let first = bytes.first { isIndented = first == 0x20 || first == 0x09 }
        guard pending.count + bytes.count <= Self.longest else {
            pending = []
            isSkipping = true
            return
        }
        pending += bytes
    }

    private mutating func close() -> Line {
        defer {
            pending.removeAll(keepingCapacity: true)
            isSkipping = false
            skipped = 0
            isIndented = false
        }
        if isSkipping { return .broken("the line is longer than 64 KiB", isIndented: isIndented) }
        if pending.last == UInt8(ascii: "\r") { pending.removeLast() }
        if pending.contains(0) { return .broken("the line holds a zero byte", isIndented: isIndented) }
        guard let text = String(validating: pending, as: UTF8.self) else {
            return .broken("the line is not UTF-8", isIndented: isIndented)
        }
        return .text(text)
    }
}
