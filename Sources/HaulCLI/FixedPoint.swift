/// Numbers with a fixed count of decimals, without Foundation.
enum FixedPoint {
    /// Prints a number rounded to a count of decimals; what is no number or out of range prints as `?`.
    static func text(_ value: Double, decimals: Int) -> String {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let scaled = (value.magnitude * scale).rounded()
        guard scaled.isFinite, scaled < 9e15 else { return "?" }
        let sign = value < 0 && scaled > 0 ? "-" : ""
        let digits = String(Int64(scaled))
        guard decimals > 0 else { return sign + digits }
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }
}
