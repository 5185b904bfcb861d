// What the files linked here name of files that need more than a fuzzing build links.

import OfferModel

/// The tolerance alone of the service's clock.
enum RequestClock {
    static let tolerance = 60 * Instant.Duration.second
}

/// A delivery of signed data, as far as requests are checked by it.
public struct SignedDelivery {
    /// How many JWS it holds.
    public let count = 0
    /// How many JWS one request may bring.
    public static let maximumCount = 200
}
