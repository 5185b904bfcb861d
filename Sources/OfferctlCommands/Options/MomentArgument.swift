import ArgumentParser
import OfferModel

/// A moment on the command line.
struct MomentArgument: Sendable, Hashable {
    /// The moment.
    let instant: Instant

    /// Reads `2026-12-01T00:00:00Z`, any offset, or milliseconds since 1970.
    ///
    /// - Throws: `ValidationError` for anything else.
    init(parsing argument: String) throws {
        if let milliseconds = Int64(argument), milliseconds >= 0 {
            instant = Instant(milliseconds: milliseconds)
        } else if let instant = Instant(iso8601: argument) {
            self.instant = instant
        } else {
            throw ValidationError("write a moment with its zone, such as `2026-12-24T00:00:00Z`")
        }
    }
}
