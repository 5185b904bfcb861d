public import OfferModel

/// Somebody and when an issue request first asked for an offer for them.
public struct FirstEvaluation: Sendable, Hashable {
    /// Whom the decision was about.
    public var customer: CustomerNumber
    /// When it was made.
    public var decidedAt: Instant
}

/// One recorded decision about a customer and an offer, as a report reads it.
public struct Evaluation: Sendable, Hashable {
    /// Where it stands among the decisions about one customer and offer.
    public struct Place: Sendable, Hashable, Comparable {
        /// When it was made.
        public var decidedAt: Instant
        /// Its place in the store-wide order; it settles equal instants.
        public var sequence: Int64

        /// Earlier is smaller.
        public static func < (left: Self, right: Self) -> Bool {
            (left.decidedAt, left.sequence) < (right.decidedAt, right.sequence)
        }
    }

    /// Where it stands.
    public var place: Place
    /// What was asked for.
    public var kind: RecordedDecision.Kind
    /// Of a refusal, what was recorded of it; absent once retention has removed that.
    public var refusalBody: String?
}
