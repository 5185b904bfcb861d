import OfferModel

/// What is known of a fact at an instant, and where from.
struct Fact: Sendable {
    /// What is known.
    enum Knowledge: Sendable {
        /// The value.
        case known(FactValue)
        /// At least so much, and perhaps more: counts over a history that may lack rows.
        case atLeast(Double, because: ReasonCode)
        /// Nothing that decides.
        case undetermined(ReasonCode)
    }

    var knowledge: Knowledge
    var provenance: Provenance?
    var transactionId: TransactionId?

    init(_ knowledge: Knowledge, provenance: Provenance? = nil, transactionId: TransactionId? = nil) {
        self.knowledge = knowledge
        self.provenance = provenance
        self.transactionId = transactionId
    }

    /// The value, or the known part of it.
    var observed: FactValue? {
        switch knowledge {
        case .known(let value): value
        case .atLeast(let number, _): .number(number)
        case .undetermined: nil
        }
    }
}
