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
        let moment = Int64(argument).map(Instant.init(milliseconds:)) ?? Instant(iso8601: argument)
        guard let moment, InputBounds.instants.contains(moment) else {
            throw ValidationError("write a moment with its zone, such as `2026-12-24T00:00:00Z`")
        }
        instant = moment
    }
}
