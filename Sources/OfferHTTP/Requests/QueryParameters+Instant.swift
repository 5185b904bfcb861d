import OfferAPI
import OfferModel

extension QueryParameters {
    /// The end of the year 9999.
    private static let latest: Int64 = 253_402_300_799_999

    /// Milliseconds since 1970, or a date and time with its zone; `nil` if absent.
    mutating func instant(_ name: String) -> Instant? {
        guard let text = text(name) else { return nil }
        if let milliseconds = Int64(text), (0...Self.latest).contains(milliseconds) {
            return Instant(milliseconds: milliseconds)
        }
        if let instant = Instant(iso8601: text) { return instant }
        refuse(
            name, "`\(text.prefix(100))` is not a moment",
            hint: "write milliseconds since 1970, or a date and time with its zone such as `2026-12-01T00:00:00Z`")
        return nil
    }
}
