import OfferAPI
import OfferModel

extension QueryParameters {
    /// Milliseconds since 1970, or a date and time with its zone; `nil` if absent.
    mutating func instant(_ name: String) -> Instant? {
        guard let text = text(name) else { return nil }
        let instant = Int64(text).map(Instant.init(milliseconds:)) ?? Instant(iso8601: text)
        if let instant, InputBounds.instants.contains(instant) { return instant }
        refuse(
            name, "`\(text.prefix(100))` is not a moment",
            hint: "write milliseconds since 1970, or a date and time with its zone such as `2026-12-01T00:00:00Z`")
        return nil
    }
}
