public import OfferModel

/// Whether an offer kept a customer who had cancelled: the save rate's question of one redemption (docs/reports.md).
public enum SaveOutcome: Sendable, Hashable {
    /// When the offer was issued their subscription was not known to be running with renewal off.
    case notAtRisk
    /// The days have not passed yet.
    case pending
    /// After those days their subscription runs and renews.
    case saved
    /// After those days it does not.
    case lost
    /// What is known does not tell.
    case undetermined

    /// How many days after the redemption's first evidence it is judged.
    public static let days: Int64 = 30

    /// When a redemption is judged.
    public static func isDue(_ redemption: Redemption) -> Instant {
        redemption.firstEvidence.adding(milliseconds: days * Instant.Duration.day)
    }

    /// - Parameters:
    ///   - atIssue: the customer's subscription when the slot was issued, by what was signed until then.
    ///   - afterwards: the same when the redemption is judged; absent before.
    public init(atIssue: OwnSubscription, afterwards: OwnSubscription?) {
        guard atIssue.isCancelled else {
            self = .notAtRisk
            return
        }
        guard let afterwards else {
            self = .pending
            return
        }
        self = afterwards.isRenewing.map { $0 ? .saved : .lost } ?? .undetermined
    }
}
