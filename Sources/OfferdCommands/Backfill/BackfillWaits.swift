import OfferApplication
import OfferModel
import Synchronization

/// Says once that Apple wants no more requests for a while, however many were on their way.
final class BackfillWaits: Sendable {
    private let told = Mutex(Instant.distantPast)

    func tell(_ failure: AppStoreFailure) {
        let end = failure.at.adding(milliseconds: Int64(failure.secondsToWait) * Instant.Duration.second)
        let isNews = told.withLock { told in
            guard end > told.adding(milliseconds: Instant.Duration.second) else { return false }
            told = end
            return true
        }
        if isNews { Terminal.message("waiting until \(end): \(failure.detail)") }
    }
}
