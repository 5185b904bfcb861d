public import OfferModel

extension String {
    /// A short text with whatever a text may hold but U+0000: escapes, accents in both forms, several bytes a
    /// character.
    public static func random(_ generator: inout SeededGenerator) -> String {
        let parts = [
            "a", "Z", "_", " ", "\"", "\\", "/", "\n", "\t", "\u{1}", "\u{1F}", "é", "e\u{301}", "🌷", "\u{2028}", "0",
        ]
        let count = Int.random(in: 0..<12, using: &generator)
        return (0..<count).map { _ in parts[Int.random(in: 0..<parts.count, using: &generator)] }.joined()
    }
}

extension FactValue {
    /// A value of any type, extremes included.
    public static func random(_ generator: inout SeededGenerator) -> FactValue {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: .text(.random(&generator))
        case 1: .number(Double(Int64.random(in: -1_000...1_000, using: &generator)))
        case 2:
            .number(
                Optional(Double(bitPattern: generator.next())).flatMap { $0.isFinite ? $0 : nil }
                    ?? .greatestFiniteMagnitude)
        case 3: .boolean(.random(using: &generator))
        case 4: .money(Money(milliunits: .random(in: 0...10_000_000, using: &generator), currency: "USD"))
        default: .instant(Instant(milliseconds: .random(in: InputBounds.storedIntegers, using: &generator)))
        }
    }
}
