import OfferModel

/// Purchases that may be uses of the counted offers, if they are in the group asked about: that is not certain.
struct UsesElsewhere {
    /// When each was bought. The use that it belongs to may have begun earlier, never later.
    private var purchased: [Instant] = []

    init(purchased: [Instant] = []) {
        self.purchased = purchased
    }

    /// Whether there is none, of whatever age.
    var isEmpty: Bool { purchased.isEmpty }

    mutating func add(_ others: UsesElsewhere) {
        purchased += others.purchased
    }

    /// Whether one of them would count at an instant: what is older than the window would not, whatever its group.
    func matter(in window: Period?, at instant: Instant) -> Bool {
        purchased.contains { bought in window.map { instant < bought.adding($0) } ?? true }
    }

    /// When a finding that would be a yes from `end` on becomes one: when none of them counts any more. Without a window
    /// only a catalog that says which group they are in can tell.
    func turningPoint(_ end: Instant, in window: Period? = nil) -> TurningPoint {
        guard let window else { return isEmpty ? .at(end) : .event(.catalogChanged) }
        return .at(purchased.map { $0.adding(window) }.reduce(end, max))
    }
}

extension RuleContext {
    /// The purchases of which the group is not certain that show one of those offers.
    func usesElsewhere(of counted: CountedOffers) -> UsesElsewhere {
        guard let asked = subject.asked, !asked.outsiders.isEmpty else { return UsesElsewhere() }
        let rows = asked.outsiders.filter { row in
            guard row.payload.isOwned != false, let type = row.payload.offerType else { return false }
            return counted.mayHold(type, row.payload.offerIdentifier)
        }
        return UsesElsewhere(purchased: rows.map(\.payload.purchaseDate))
    }
}
