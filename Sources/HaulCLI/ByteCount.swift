/// Sizes as people write and read them: `8MiB`, `8M`, `8388608`; K, M, G and T are powers of 1024.
enum ByteCount {
    private static let units: [Character] = ["K", "M", "G", "T"]

    /// Reads a size.
    ///
    /// A unit is `K`, `M`, `G` or `T` in either case, alone or followed by `iB`; before a unit the number may have
    /// decimals, such as `1.5G`. `8MB` is refused, since some read it as a power of ten.
    ///
    /// - Parameter text: what was written.
    /// - Returns: bytes, rounded down; nil when the text is no size or too large for 64 bits.
    static func parse(_ text: some StringProtocol) -> Int64? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let unit = unit(text.dropFirst(number.count)) else { return nil }
        let halves = number.split(separator: ".", omittingEmptySubsequences: false)
        guard let first = halves.first, let whole = Int64(first) else { return nil }
        let (bytes, overflow) = whole.multipliedReportingOverflow(by: unit)
        guard !overflow else { return nil }
        guard halves.count > 1 else { return bytes }
        guard halves.count == 2, unit > 1, (1...6).contains(halves[1].count), let part = Int64(halves[1]) else {
            return nil
        }
        var scale: Int64 = 1
        for _ in 0..<halves[1].count { scale *= 10 }
        // At most 10⁶ · 2⁴⁰, which 64 bits hold.
        let (sum, carried) = bytes.addingReportingOverflow(part * unit / scale)
        return carried ? nil : sum
    }

    /// Prints a size with three significant digits, such as `812 B` or `96.0 MiB`.
    static func text(_ bytes: Int64) -> String { text(Double(bytes)) }

    /// Prints a rate, such as `183 MiB/s`.
    static func rate(_ bytesPerSecond: Double) -> String { text(bytesPerSecond.rounded()) + "/s" }

    private static func text(_ bytes: Double) -> String {
        guard bytes.magnitude >= 1000 else { return FixedPoint.text(bytes, decimals: 0) + " B" }
        var value = bytes
        var unit = "B"
        for next in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] where value.magnitude >= 999.5 {
            value /= 1024
            unit = next
        }
        let decimals = value.magnitude < 9.995 ? 2 : value.magnitude < 99.95 ? 1 : 0
        return FixedPoint.text(value, decimals: decimals) + " " + unit
    }

    private static func unit(_ suffix: some StringProtocol) -> Int64? {
        guard let letter = suffix.first else { return 1 }
        guard let power = units.firstIndex(of: Character(letter.uppercased())) else { return nil }
        let rest = suffix.dropFirst()
        guard rest.isEmpty || rest.lowercased() == "ib" else { return nil }
        return 1 << (10 * Int64(power + 1))
    }
}
