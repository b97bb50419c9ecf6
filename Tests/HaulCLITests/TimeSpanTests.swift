import Testing

@testable import HaulCLI

@Suite struct TimeSpanTests {
    @Test(
        arguments: [
            ("15", 15_000), ("0", 0), ("0.5", 500), (".5", 500), ("1.25s", 1250), ("20s", 20_000),
            ("31536000", 31_536_000_000),
        ] as [(String, Int64)])
    func reads(_ text: String, _ milliseconds: Int64) {
        #expect(TimeSpan.parse(text) == .milliseconds(milliseconds))
    }

    @Test(arguments: ["", "s", "-1", "1m", ".", "1.", "1.2345", "1e3", "31536001", "99999999999999999999", "1.5.5"])
    func refuses(_ text: String) { #expect(TimeSpan.parse(text) == nil) }

    @Test(
        arguments: [
            (0, "0.00 s"), (612, "0.61 s"), (9994, "9.99 s"), (9995, "10.0 s"), (12_340, "12.3 s"),
            (99_960, "1 min 40 s"),
            (247_000, "4 min 07 s"), (3_600_000, "1 h 00 min"), (7_500_000, "2 h 05 min"),
        ] as [(Int64, String)])
    func prints(_ milliseconds: Int64, _ text: String) {
        #expect(TimeSpan.text(.milliseconds(milliseconds)) == text)
    }

    @Test(
        arguments: [
            (0, "trying again at once"), (49, "trying again at once"), (50, "waiting 0.1 s"), (400, "waiting 0.4 s"),
            (3000, "waiting 3 s"), (247_000, "waiting 4 min 07 s"),
        ] as [(Int64, String)])
    func saysWhatComesOfAWait(_ milliseconds: Int64, _ text: String) {
        #expect(TimeSpan.wait(.milliseconds(milliseconds)) == text)
    }

    @Test(
        arguments: [
            (0, "0:00"), (6_100, "0:07"), (247_000, "4:07"), (3_847_000, "1:04:07"), (400_000_000, "4 d"),
            (-5000, "0:00"),
        ] as [(Int64, String)])
    func printsTimeLeft(_ milliseconds: Int64, _ text: String) {
        #expect(TimeSpan.clock(.milliseconds(milliseconds)) == text)
    }

    @Test(
        arguments: [
            (0.0, 3, "0.000"), (-0.0001, 3, "0.000"), (-1.5, 1, "-1.5"), (0.05, 1, "0.1"), (1234.5678, 2, "1234.57"),
            (7, 0, "7"), (1e300, 2, "?"), (.nan, 2, "?"),
        ] as [(Double, Int, String)])
    func printsFixedPoint(_ value: Double, _ decimals: Int, _ text: String) {
        #expect(FixedPoint.text(value, decimals: decimals) == text)
    }
}
