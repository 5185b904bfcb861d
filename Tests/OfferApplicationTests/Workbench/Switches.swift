import OfferAPI
import OfferModel

@testable import OfferApplication

extension OfferPauses {
    /// Pauses until it is lifted, or lifts that.
    func set(_ offer: OfferId?, paused: Bool, caller: Caller) async throws -> PauseState {
        try await paused ? pause(offer, caller: caller) : resume(offer, caller: caller)
    }
}
