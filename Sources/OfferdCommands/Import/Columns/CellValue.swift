import OfferApplication
import OfferModel

/// Values as CSV files write them.
enum CellValue {
    static func integer(_ text: String, _ column: String) throws(ImportRefusal) -> Int64 {
        guard let number = Int64(text) else { throw wrong(text, column, "a whole number") }
        return number
    }

    static func bool(_ text: String, _ column: String) throws(ImportRefusal) -> Bool {
        switch text.lowercased() {
        case "true", "t", "1": return true
        case "false", "f", "0": return false
        default: throw wrong(text, column, "true or false")
        }
    }

    /// Milliseconds, or ISO 8601 with `Z` or an offset.
    static func date(_ text: String, _ column: String) throws(ImportRefusal) -> Instant {
        if let milliseconds = Int64(text) { return Instant(milliseconds: milliseconds) }
        guard let instant = Instant(iso8601: text) else {
            throw wrong(text, column, "a time in milliseconds or like 2026-11-20T08:00:00Z")
        }
        return instant
    }

    /// A time as databases write it, in UTC if it has no offset: `2026-11-20 08:00:00.123456+00`.
    static func timestamp(_ text: String, _ column: String) throws(ImportRefusal) -> Instant {
        if let instant = Instant(iso8601: isoTimestamp(text)) { return instant }
        throw wrong(text, column, "a time like 2026-11-20 08:00:00")
    }

    /// An amount of money in thousandths: `3.99` is 3,990.
    static func milliunits(_ text: String, _ column: String) throws(ImportRefusal) -> Int64 {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : ""
        let isDecimal = parts.allSatisfy { part in part.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard parts.count <= 2, isDecimal, parts[0].count <= 12, let whole = Int64(parts[0]), fraction.count <= 18,
            let thousandths = Int64(String((fraction + "000").prefix(3)))
        else { throw wrong(text, column, "an amount such as 3.99") }
        return whole * 1_000 + thousandths
    }

    static func wrong(_ text: String, _ column: String, _ form: String) -> ImportRefusal {
        ImportRefusal(.invalidValue, "`\(column)` is \(ImportRefusal.quoted(text)) and not \(form)")
    }

    /// `T` between date and time, at most three decimals, an offset with minutes.
    private static func isoTimestamp(_ text: String) -> String {
        var text = text.hasSuffix(" UTC") ? text.dropLast(4) : text[...]
        guard text.utf8.count >= 19 else { return String(text) }
        let day = text.prefix(10)
        text = text.dropFirst(11)
        let clock = text.prefix(8)
        text = text.dropFirst(8)
        var fraction = ""
        if text.first == "." {
            let digits = text.dropFirst().prefix { ("0"..."9").contains($0) }
            fraction = "." + digits.prefix(3)
            text = text.dropFirst(1 + digits.count)
        }
        let offset = text.isEmpty ? "Z" : text.utf8.count == 3 ? text + ":00" : text
        return "\(day)T\(clock)\(fraction)\(offset)"
    }
}
