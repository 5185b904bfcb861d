import OfferWords
import Testing

@Suite("Numbers as people read them")
struct NumberWordsTests {
    @Test(
        "an amount has the digits that its currency usually has",
        arguments: [
            ("384.627", "USD", "384.63 USD"), ("384.624", "USD", "384.62 USD"), ("384.625", "EUR", "384.63 EUR"),
            ("1770.00", "USD", "1,770.00 USD"), ("0.00", "USD", "0.00 USD"), ("999.999", "USD", "1,000.00 USD"),
            ("1384.50", "JPY", "1,385 JPY"), ("1384.00", "KRW", "1,384 KRW"), ("0.345", "KWD", "0.345 KWD"),
            ("-0.50", "USD", "-0.50 USD"), ("-1234.567", "USD", "-1,234.57 USD"), ("1.00", "", "1.00 "),
        ])
    func money(_ amount: String, _ currency: String, _ words: String) {
        #expect(NumberWords.money(amount, currency) == words)
    }

    @Test(
        "what is no amount stays as it is",
        arguments: ["", "-", "free", "1,000.00", "1.2345", "99999999999999999999.00"])
    func none(_ amount: String) {
        #expect(NumberWords.amount(amount, "USD").replacing(",", with: "") == amount.replacing(",", with: ""))
    }

    @Test(
        "a count has its thousands apart",
        arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")])
    func count(_ number: Int, _ words: String) {
        #expect(NumberWords.count(number) == words)
    }
}
