import OfferModel
import OfferStore

extension StoreClock {
    /// The one instant of a request: never before anything that was committed (DESIGN §5.5).
    func instant(wallClock: Instant) throws -> Instant {
        max(wallClock, try lastInstant() ?? wallClock)
    }
}
