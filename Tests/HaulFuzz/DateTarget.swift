import HaulCore

/// A date that is read prints and reads the same, and no wait is negative or endless.
enum DateTarget {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        let text = ContentDisposition.text(bytes)
        if let seconds = HTTPDate.seconds(text) {
            let printed = HTTPDate.text(seconds)
            // The last second of the year 9999 may be a leap second, and is held.
            let held = min(seconds, 253_402_300_799)
            try Finding.unless(HTTPDate.seconds(printed) == held, "'\(text)' is \(seconds), prints as '\(printed)'")
        }
        for now in [0, 1_700_000_000, Int64.max, Int64.min] {
            guard let delay = RetryAfter.delay(text, at: now) else { continue }
            try Finding.unless(delay >= .zero && delay <= RetryAfter.longest, "a wait of \(delay)")
        }
        var number: Int64 = 0
        for byte in bytes.prefix(8) { number = number << 8 | Int64(byte) }
        let held = min(max(number, -62_135_596_800), 253_402_300_799)
        try Finding.unless(HTTPDate.seconds(HTTPDate.text(number)) == held, "\(number) prints as another date")
    }
}
