/// The customers who were offered something against those who were held out.
public struct HoldoutLiftBody: Sendable, Hashable, Codable {
    /// One side.
    public struct Group: Sendable, Hashable, Codable {
        /// The members.
        public var customers: Int
        /// Of these, those with the outcome.
        public var active: Int
        /// Of these, those of whom it is not known; they count as without.
        public var undetermined: Int

        /// A side by its numbers.
        public init(customers: Int, active: Int, undetermined: Int) {
            self.customers = customers
            self.active = active
            self.undetermined = undetermined
        }
    }

    /// An interval of the difference.
    public struct Interval: Sendable, Hashable, Codable {
        /// The confidence.
        public var level: Double
        /// How it was computed.
        public var method: String
        /// Where it begins.
        public var lower: Double
        /// Where it ends.
        public var upper: Double

        /// An interval by its parts.
        public init(level: Double, method: String, lower: Double, upper: Double) {
            self.level = level
            self.method = method
            self.lower = lower
            self.upper = upper
        }
    }

    /// What is compared: `activeAtAsOf`.
    public var outcome: String
    /// Those it was offered to.
    public var treated: Group
    /// Those held out.
    public var heldOut: Group
    /// A smaller group is not compared.
    public var minimumCustomers: Int
    /// Share of the treated minus share of the held out; absent if there is not enough data, or
    /// retention has removed why some were refused.
    public var difference: Double?
    /// The interval of the difference; absent with it.
    public var interval: Interval?

    /// A comparison by its parts.
    public init(
        outcome: String, treated: Group, heldOut: Group, minimumCustomers: Int, difference: Double?,
        interval: Interval?
    ) {
        self.outcome = outcome
        self.treated = treated
        self.heldOut = heldOut
        self.minimumCustomers = minimumCustomers
        self.difference = difference
        self.interval = interval
    }
}

/// Of the customers who redeemed the offer after they had cancelled, how many stayed.
public struct SaveRateBody: Sendable, Hashable, Codable {
    /// The definition: `autoRenewOnAfter30Days`.
    public var definition: String
    /// Those judged.
    public var judged: Int
    /// Of these, the saved.
    public var saved: Int
    /// Of these, those of whom it is not known; they count as not saved.
    public var undetermined: Int
    /// Those whose days have not passed yet.
    public var pending: Int
    /// Saved by judged; absent if nobody was judged.
    public var rate: Double?

    /// A rate by its parts.
    public init(definition: String, judged: Int, saved: Int, undetermined: Int, pending: Int, rate: Double?) {
        self.definition = definition
        self.judged = judged
        self.saved = saved
        self.undetermined = undetermined
        self.pending = pending
        self.rate = rate
    }
}
