import Foundation
import OfferModel

extension Instant {
    /// Now by this machine's clock: only for words such as "in 9 days", the server decides by its own.
    static var wallClock: Instant {
        Instant(milliseconds: Int64(saturating: Date().timeIntervalSince1970 * 1_000))
    }
}
