/// How much of an offer everyone together has used, as the store counts it (docs/design.md#issued-offers-and-limits).
///
/// A decision keeps the counters that it saw, so that it can be replayed (invariant 5).
public struct OfferCounters: Sendable, Hashable {
    /// When they were read: what had passed by then is not in them.
    public var asOf: Instant
    /// Uses: issued offers that count, and the redemptions of issued offers.
    public var places: Int
    /// Their nominal cost, in milliunits by currency.
    public var spent: [String: Int64]
    /// Redemptions without an issued offer, by product.
    public var unmatched: [ProductId: Int]
    /// Those that the subject of the question holds with open issued offers.
    public var open: [OpenPlace]
    /// When room will free for the limits that are reached.
    public var endings: [Ending]

    public init(
        asOf: Instant, places: Int = 0, spent: [String: Int64] = [:], unmatched: [ProductId: Int] = [:],
        open: [OpenPlace] = [], endings: [Ending] = []
    ) {
        self.asOf = asOf
        self.places = places
        self.spent = spent
        self.unmatched = unmatched
        self.open = open
        self.endings = endings
    }

    public struct OpenPlace: Sendable, Hashable {
        public var id: LowercaseUUID
        public var countsUntil: Instant
        public var cost: Int64?
        public var currency: String?

        /// A place that is yet to be read.
        public static var blank: OpenPlace {
            OpenPlace(id: LowercaseUUID(version4From: [UInt8](repeating: 0, count: 16)), countsUntil: .distantPast)
        }
    }

    /// When a given amount of what is counted will have passed.
    public struct Ending: Sendable, Hashable {
        public var unit: CounterUnit
        /// How much of it: places, or milliunits.
        public var amount: Int64
        /// The first instant at which it has passed if nothing else happens; absent if never.
        public var at: Instant?

        public init(unit: CounterUnit, amount: Int64, at: Instant?) {
            self.unit = unit
            self.amount = amount
            self.at = at
        }
    }

    /// `nil` if it was not looked up.
    func ending(of amount: Int64, _ unit: CounterUnit) -> Ending? {
        endings.filter { $0.unit == unit && $0.amount >= amount }.min { $0.amount < $1.amount }
    }
}

extension OfferCounters.OpenPlace {
    public init(_ issuedOffer: IssuedOffer) {
        self.init(
            id: issuedOffer.id, countsUntil: issuedOffer.countsUntil, cost: issuedOffer.cost?.milliunits,
            currency: issuedOffer.cost?.currency)
    }
}

public enum CounterUnit: Sendable, Hashable {
    /// Issued offers that count, and redemptions.
    case places
    /// Nominal discount, in milliunits of a currency.
    case money(String)

    /// Its name in the store and in records: `places`, or the currency's code.
    public var name: String {
        switch self {
        case .places: "places"
        case .money(let currency): currency
        }
    }

    public init(name: String) {
        self = name == "places" ? .places : .money(name)
    }
}
