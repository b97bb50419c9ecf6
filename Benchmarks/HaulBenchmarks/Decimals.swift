/// Numbers as text.
enum Decimals {
    /// A number with a fixed count of digits behind the point, or a dash if it is no number.
    static func text(_ value: Double, _ digits: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "–" }
        var unit: Int64 = 1
        for _ in 0..<digits { unit *= 10 }
        let scaled = Int64((abs(value) * Double(unit)).rounded())
        let whole = (value < 0 && scaled != 0 ? "-" : "") + "\(scaled / unit)"
        guard digits > 0 else { return whole }
        let fraction = String(scaled % unit)
        return whole + "." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    /// A number with three significant digits.
    static func short(_ value: Double) -> String {
        switch abs(value) {
        case ..<10: text(value, 2)
        case ..<100: text(value, 1)
        default: text(value, 0)
        }
    }

    /// A number of bytes, in powers of 1024.
    static func bytes(_ count: Int64) -> String {
        let units: [(name: String, size: Int64)] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
        for unit in units where count >= unit.size {
            let value = Double(count) / Double(unit.size)
            return (count % unit.size == 0 ? text(value, 0) : short(value)) + " " + unit.name
        }
        return "\(count) bytes"
    }

    /// A size as it is typed: `64M`, `1GiB`, `4096`; nil if it is none.
    static func size(_ typed: String) -> Int64? {
        var digits = typed.uppercased()
        for suffix in ["IB", "B"] where digits.hasSuffix(suffix) {
            digits.removeLast(suffix.count)
            break
        }
        var factor: Int64 = 1
        if let last = digits.last, let power = ["K", "M", "G", "T"].firstIndex(of: String(last)) {
            digits.removeLast()
            factor = 1 << (10 * Int64(power + 1))
        }
        guard let count = Int64(digits), count > 0, count <= Int64.max / factor else { return nil }
        return count * factor
    }
}
