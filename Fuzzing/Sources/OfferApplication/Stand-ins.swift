// What the files linked here name of files that need more than a fuzzing build links.

import OfferModel

/// The tolerance alone of the service's clock.
enum RequestClock {
    static let tolerance = 60 * Instant.Duration.second
}
