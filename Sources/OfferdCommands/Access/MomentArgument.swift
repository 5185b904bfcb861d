import ArgumentParser
import OfferModel

/// A moment on the command line.
struct MomentArgument: ExpressibleByArgument, Sendable, Hashable {
    /// The moment.
    let instant: Instant

    /// Reads `2026-12-01T00:00:00Z`, any offset, or milliseconds since 1970.
    init?(argument: String) {
        if let milliseconds = Int64(argument), milliseconds >= 0 {
            instant = Instant(milliseconds: milliseconds)
        } else if let instant = Instant(iso8601: argument) {
            self.instant = instant
        } else {
            return nil
        }
    }
}
