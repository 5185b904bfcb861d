import Foundation
import OfferModel

extension Instant {
    /// The machine's time.
    static func wallClock() -> Instant {
        Instant(milliseconds: Int64(saturating: Date().timeIntervalSince1970 * 1_000))
    }
}
