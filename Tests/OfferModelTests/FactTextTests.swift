import OfferModel
import Testing

@Suite("Texts that facts compare by a rule of their own")
struct FactTextTests {
    @Test(
        "versions are ordered number by number",
        arguments: [
            ("1.9", "1.10"), ("1.9.9", "1.10"), ("1", "1.0.1"), ("0", "0.0.0.1"), ("9", "10"), ("17.7", "18"),
            ("1.999999999", "2"),
        ])
    func order(earlier: String, later: String) throws {
        let (earlier, later) = (try #require(DottedVersion(earlier)), try #require(DottedVersion(later)))
        #expect(earlier < later)
        #expect(!(later < earlier))
        #expect(earlier != later)
    }

    @Test(
        "zeros at the end and at the beginning of a number make no difference", arguments: ["2", "2.0", "2.0.0", "02"])
    func zeros(_ text: String) throws {
        #expect(try #require(DottedVersion(text)) == #require(DottedVersion("2")))
        #expect(try #require(DottedVersion(text)).hashValue == #require(DottedVersion("2")).hashValue)
    }

    @Test(
        "anything but numbers and dots is no version",
        arguments: [
            "", ".", "1.", ".1", "1..2", "4.2-beta", "4.2.1 (117)", "v1", "-1", "1,2", " 1", "1.1234567890", "١",
            String(repeating: "1.", count: 16) + "1",
        ])
    func notVersions(_ text: String) {
        #expect(DottedVersion(text) == nil)
    }

    @Test(
        "a locale begins with its language, also where it is written differently",
        arguments: [
            ("de-CH", "de"), ("de_CH", "de"), ("DE", "de"), ("de", "DE"), ("zh-Hant-TW", "zh-Hant"),
            ("de_CH@currency=EUR", "de-CH"), ("es-419", "es-419"),
        ])
    func begins(tag: String, range: String) throws {
        #expect(try #require(LocaleTag(tag)).begins(with: #require(LocaleTag(range))))
    }

    @Test(
        "it does not begin with another language or with more than it says",
        arguments: [("den", "de"), ("de", "de-CH"), ("en-DE", "de"), ("zh-Hant", "zh-Hans")])
    func differs(tag: String, range: String) throws {
        #expect(try !#require(LocaleTag(tag)).begins(with: #require(LocaleTag(range))))
    }

    @Test(
        "anything else is no locale",
        arguments: ["", "d", "-", "de-", "de--CH", "d1", "de CH", "deutschland", "@x", "ü1"])
    func notLocales(_ text: String) {
        #expect(LocaleTag(text) == nil)
    }
}
