/// The three spellings of a date in HTTP, as seconds since 1970 UTC (RFC 9110 §5.6.7).
package enum HTTPDate {
    /// Reads IMF-fixdate, the RFC 850 form and asctime's.
    ///
    /// The name of the weekday is not checked. A year of two digits means 1970 to 2069: a fixed window, because nothing
    /// here knows the present. Months are read without case, and `UTC` or `+0000` may stand for `GMT`.
    ///
    /// - Returns: nil for anything else; also for `0` and `-1`, which stand for no date.
    package static func seconds(_ text: String) -> Int64? {
        if let seconds = fixed(Array(text.utf8)) { return seconds }
        let words = text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\t") }
            .map { String(Substring($0)) }
        switch words.count {
        case 6 where isUniversal(words[5]):
            // Sun, 06 Nov 1994 08:49:37 GMT
            return seconds(year: words[3], month: words[2], day: words[1], time: words[4])
        case 5:
            // Sun Nov  6 08:49:37 1994
            return seconds(year: words[4], month: words[1], day: words[2], time: words[3])
        case 4 where isUniversal(words[3]):
            return hyphenated(words)
        default:
            return nil
        }
    }

    /// The date `seconds` after the start of 1970 as IMF-fixdate, held within the years 1 to 9999.
    package static func text(_ seconds: Int64) -> String {
        let held = min(max(seconds, -62_135_596_800), 253_402_300_799)
        let days = floorDivide(held, 86_400)
        let rest = held - days * 86_400
        let (year, month, day) = civil(days)
        let weekday = weekdays[Int(((days + 4) % 7 + 7) % 7)]
        let time = [rest / 3_600, rest / 60 % 60, rest % 60].map { padded($0, 2) }.joined(separator: ":")
        return "\(weekday), \(padded(day, 2)) \(months[Int(month) - 1]) \(padded(year, 4)) \(time) GMT"
    }

    // MARK: - Parts of a text

    /// IMF-fixdate as nearly every server writes it, `Sun, 06 Nov 1994 08:49:37 GMT`, read by its columns.
    ///
    /// - Returns: nil for anything else, which may be a date all the same.
    private static func fixed(_ text: [UInt8]) -> Int64? {
        guard text.count == 29, text[3] == UInt8(ascii: ","), text[19] == UInt8(ascii: ":"),
            text[22] == UInt8(ascii: ":"), code(text, 26) == gmt
        else { return nil }
        for place in [4, 7, 11, 16, 25] where text[place] != UInt8(ascii: " ") { return nil }
        guard text[..<3].allSatisfy({ $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\t") })
        else { return nil }
        guard let month = monthCodes.firstIndex(of: code(text, 8)), let day = number(text, 5, 2),
            let year = number(text, 12, 4), let hour = number(text, 17, 2), let minute = number(text, 20, 2),
            let second = number(text, 23, 2)
        else { return nil }
        return seconds(year, Int64(month) + 1, day, hour, minute, second)
    }

    /// Three bytes as one number.
    private static func code(_ text: [UInt8], _ place: Int) -> UInt32 {
        UInt32(text[place]) << 16 | UInt32(text[place + 1]) << 8 | UInt32(text[place + 2])
    }

    /// The number that some bytes spell in decimal digits and nothing else.
    private static func number(_ text: [UInt8], _ place: Int, _ count: Int) -> Int64? {
        var value: Int64 = 0
        for index in place..<place + count {
            guard text[index] >= UInt8(ascii: "0"), text[index] <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(text[index] - UInt8(ascii: "0"))
        }
        return value
    }

    private static let gmt = code(Array("GMT".utf8), 0)
    private static let monthCodes = months.map { code(Array($0.utf8), 0) }
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func isUniversal(_ zone: String) -> Bool {
        HTTPFields.equal(zone, "GMT") || HTTPFields.equal(zone, "UTC") || zone == "+0000" || zone == "-0000"
    }

    /// Sunday, 06-Nov-94 08:49:37 GMT.
    private static func hyphenated(_ words: [String]) -> Int64? {
        let parts = pieces(words[1], at: UInt8(ascii: "-"))
        guard parts.count == 3 else { return nil }
        return seconds(year: parts[2], month: parts[1], day: parts[0], time: words[2])
    }

    private static func seconds(year: String, month: String, day: String, time: String) -> Int64? {
        guard var yearNumber = number(year, digits: [2, 4]), let dayNumber = number(day, digits: [1, 2]),
            let monthIndex = months.firstIndex(where: { HTTPFields.equal($0, month) })
        else { return nil }
        if year.utf8.count == 2 { yearNumber += yearNumber < 70 ? 2_000 : 1_900 }
        let clock = pieces(time, at: UInt8(ascii: ":")).map { number($0, digits: [2]) }
        guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2] else { return nil }
        return seconds(yearNumber, Int64(monthIndex) + 1, dayNumber, hour, minute, second)
    }

    private static func seconds(
        _ year: Int64, _ month: Int64, _ day: Int64, _ hour: Int64, _ minute: Int64, _ second: Int64
    ) -> Int64? {
        guard hour < 24, minute < 60, second <= 60, year >= 1 else { return nil }
        let days = daysSince1970(year, month, day)
        // A day that its month does not have comes back as another one.
        guard day >= 1, civil(days) == (year, month, day) else { return nil }
        return days * 86_400 + hour * 3_600 + minute * 60 + second
    }

    private static func pieces(_ text: String, at mark: UInt8) -> [String] {
        text.utf8.split(separator: mark, omittingEmptySubsequences: false).map { String(Substring($0)) }
    }

    private static func number(_ text: String, digits: [Int]) -> Int64? {
        digits.contains(text.utf8.count) ? FieldText.number(text.utf8) : nil
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    // MARK: - Calendar

    /// Days from 1970-01-01 to a date of the Gregorian calendar; years begin in March so that the leap day comes last.
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = floorDivide(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func civil(_ days: Int64) -> (Int64, Int64, Int64) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor)
    }
}
