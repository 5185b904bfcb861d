import OfferSigning
import Testing

@Suite("The words of a refusal") struct RefusalWordsTests {
    private func words(_ text: String) -> String {
        SignedDataRefusal(.wrongBundleId, text).detail
    }

    @Test("what a stranger sent cannot begin a new line, in a log or anywhere (invariant 10)")
    func oneLine() {
        #expect(
            words("`alg` is `a\nb\r\u{0}c\u{7F}d\u{85}e\u{2028}f\u{2029}g`")
                == "`alg` is `a\u{FFFD}b\u{FFFD}\u{FFFD}c\u{FFFD}d\u{FFFD}e\u{FFFD}f\u{FFFD}g`")
        #expect(words("`bundleId` is `größe 🎁`") == "`bundleId` is `größe 🎁`")
        #expect(words("").isEmpty)
    }

    @Test("words of 512 bytes stay whole, longer ones end in … and have 512 bytes at most")
    func bounded() {
        let whole = String(repeating: "x", count: 512)
        #expect(words(whole) == whole)
        #expect(words(whole + "x") == String(repeating: "x", count: 509) + "…")
        let wide = String(repeating: "ä", count: 256)
        #expect(words(wide) == wide)
        #expect(words(wide + "x") == String(repeating: "ä", count: 254) + "…")
        // What is shown instead of a control character is longer than that: it counts.
        #expect(words(String(repeating: "\n", count: 512)) == String(repeating: "\u{FFFD}", count: 169) + "…")
    }
}
