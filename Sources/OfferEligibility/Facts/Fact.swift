import OfferModel

/// What is known of a fact at an instant, and where from.
struct Fact: Sendable {
    /// What is known.
    enum Knowledge: Sendable {
        /// The value.
        case known(FactValue)
        /// At least so much, and perhaps more: what only grows with what is not known yet.
        case atLeast(Double, because: ReasonCode)
        /// Nothing that decides.
        case undetermined(ReasonCode)
    }

    /// What something that happens, rather than time, can make of a known value.
    enum Change: Sendable {
        /// Nothing.
        case none
        /// Any other value.
        case any(TurningEvent)
        /// A greater value only.
        case growth(TurningEvent)
        /// That value only.
        case to(FactValue, TurningEvent)
    }

    var knowledge: Knowledge
    var provenance: Provenance?
    var transactionId: TransactionId?
    var change: Change

    init(
        _ knowledge: Knowledge, provenance: Provenance? = nil, transactionId: TransactionId? = nil,
        change: Change = .any(.subscriptionChanged)
    ) {
        self.knowledge = knowledge
        self.provenance = provenance
        self.transactionId = transactionId
        self.change = change
    }

    /// The value, or the known bound of it.
    var observed: FactValue? {
        switch knowledge {
        case .known(let value): value
        case .atLeast(let number, _): .number(number)
        case .undetermined: nil
        }
    }
}

extension Fact.Knowledge {
    /// A count that what is not known could only raise.
    static func count(_ number: Int, doubt: ReasonCode?) -> Self {
        doubt.map { .atLeast(Double(number), because: $0) } ?? .known(.number(Double(number)))
    }

    /// Whole days from `start`; what begins in the future, because Apple charges early, has begun.
    static func days(since start: Instant, at now: Instant) -> Double {
        Double(max(0, now.days(since: start)))
    }
}
