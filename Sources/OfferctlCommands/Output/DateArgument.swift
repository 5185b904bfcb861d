import ArgumentParser
import CommandLineSupport
import OfferModel

/// The end of something, as options take it.
enum DateArgument {
    /// Reads `2026-12-24`, which is the beginning of that day in UTC, or a moment.
    static func read(_ text: String) throws -> Instant {
        guard let moment = Instant(iso8601: text + "T00:00:00Z") ?? (try? Instant.argument(text)) else {
            throw ValidationError("write a day such as `2026-12-24`, or a moment with its zone: `2026-12-24T18:00:00Z`")
        }
        return moment
    }
}
