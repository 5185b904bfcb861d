import ArgumentParser
import OfferModel

/// A moment on the command line.
struct MomentArgument: ExpressibleByArgument, Sendable, Hashable {
    /// The moment.
    let instant: Instant

    /// Reads `2026-12-01T00:00:00Z`, any offset, or milliseconds since 1970.
    init?(argument: String) {
        let moment = Int64(argument).map(Instant.init(milliseconds:)) ?? Instant(iso8601: argument)
        guard let moment, InputBounds.instants.contains(moment) else { return nil }
        instant = moment
    }
}
