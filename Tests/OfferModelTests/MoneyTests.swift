import OfferModel
import OfferTestSupport
import Testing

@Suite("Amounts")
struct MoneyTests {
    @Test(
        "a decimal with at most three decimals is read as milliunits",
        arguments: [
            ("0", 0), ("9.99", 9_990), ("9.9", 9_900), ("9.999", 9_999), ("25000.00", 25_000_000), ("0.001", 1),
            ("007", 7_000), ("999999999.999", 999_999_999_999),
        ] as [(String, Int64)])
    func reads(_ text: String, _ milliunits: Int64) {
        #expect(Money.milliunits(text) == milliunits)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", ".", "9.", ".5", "9.9999", "9,99", "1 000", "1,000.00", "-1", "+1", "1e3", "0x10", "9.99 ", "9.9.9",
            "1000000000", "９",
        ])
    func refuses(_ text: String) {
        #expect(Money.milliunits(text) == nil)
    }

    @Test(
        "an amount is written with two decimals, three where they matter",
        arguments: [
            (9_990, "9.99 USD"), (9_999, "9.999 USD"), (0, "0.00 USD"), (1, "0.001 USD"), (50, "0.05 USD"),
            (1_000, "1.00 USD"), (-500, "-0.50 USD"), (-1_005, "-1.005 USD"),
            (Int64.min, "-9223372036854775.808 USD"),
        ] as [(Int64, String)])
    func writes(_ milliunits: Int64, _ text: String) {
        #expect(Money(milliunits: milliunits, currency: "USD").description == text)
    }

    @Test("reading what was written gives the same amount")
    func roundTrip() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let money = Money(
                milliunits: Int64.random(in: 0...999_999_999_999, using: &generator), currency: "EUR")
            #expect(Money.milliunits(money.amount) == money.milliunits, "seed \(generator.seed)")
        }
    }

    @Test("a currency code is three capital letters")
    func currencyCode() {
        #expect(Money.isCurrencyCode("USD"))
        for text in ["", "US", "USDT", "usd", "U$D", "UŠ", "12A"] {
            #expect(!Money.isCurrencyCode(text), "\(text)")
        }
    }
}
