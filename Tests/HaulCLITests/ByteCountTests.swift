import Testing

@testable import HaulCLI

@Suite struct ByteCountTests {
    @Test(
        arguments: [
            ("0", 0), ("8388608", 8_388_608), ("8M", 8 << 20), ("8MiB", 8 << 20), ("8m", 8 << 20), ("8mib", 8 << 20),
            ("1K", 1024), ("3G", 3 << 30), ("2T", 2 << 40), ("1.5G", 3 << 29), ("0.5K", 512), ("1.25K", 1280),
            ("9223372036854775807", Int64.max),
        ] as [(String, Int64)])
    func reads(_ text: String, _ bytes: Int64) { #expect(ByteCount.parse(text) == bytes) }

    @Test(arguments: [
        "", " ", "M", "-1", "+1", "8MB", "8 M", "8X", "1.5", "1.", ".5K", "1.2.3K", "1.1234567K", "0x10", "8MiBs", "٣",
        "9223372036854775808", "8388608T", "99999999999999999999", "1e6", "8\u{0}",
    ])
    func refuses(_ text: String) { #expect(ByteCount.parse(text) == nil) }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "0.98 KiB"), (1024, "1.00 KiB"), (10_240, "10.0 KiB"),
            (102_400, "100 KiB"),
            (1_023_487, "999 KiB"), (1_023_488, "0.98 MiB"), (96 << 20, "96.0 MiB"), (3 << 29, "1.50 GiB"),
            (5 << 40, "5.00 TiB"), (Int64.max, "8.00 EiB"),
        ] as [(Int64, String)])
    func prints(_ bytes: Int64, _ text: String) { #expect(ByteCount.text(bytes) == text) }

    @Test func printsRates() {
        #expect(ByteCount.rate(0) == "0 B/s")
        #expect(ByteCount.rate(183.4 * 1_048_576) == "183 MiB/s")
        #expect(ByteCount.rate(.infinity) == "? EiB/s")
        #expect(ByteCount.rate(.nan) == "? B/s")
    }

    @Test func neverTakesMoreThanEightColumns() {
        var value: Int64 = 1
        while value < Int64.max / 3 {
            for near in [value - 1, value, value + 1] { #expect(ByteCount.text(near).count <= 8, "\(near)") }
            value = value * 3 / 2 + 1
        }
    }
}
