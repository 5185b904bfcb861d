import OfferModel

/// What asking Apple for somebody's purchases came to.
public struct RefreshBody: Sendable, Hashable, Codable {
    /// How many payloads came to what.
    public struct Counts: Sendable, Hashable, Codable {
        /// Never seen before.
        public var added: Int
        /// A newer view of something known.
        public var updated: Int
        /// Known already.
        public var unchanged: Int
        /// Not believed.
        public var refused: Int

        /// Counts by their parts.
        public init(added: Int = 0, updated: Int = 0, unchanged: Int = 0, refused: Int = 0) {
            self.added = added
            self.updated = updated
            self.unchanged = unchanged
            self.refused = refused
        }
    }

    /// One JWS of Apple's answer that was not believed.
    public struct Refused: Sendable, Hashable, Codable {
        /// Which one, behind the answer it stood in, such as `/history/signedTransactions/3`.
        public var path: String
        /// Why.
        public var code: String
        /// The same in words.
        public var detail: String

        /// A refusal by its parts.
        public init(path: String, code: String, detail: String) {
            self.path = path
            self.code = code
            self.detail = detail
        }
    }

    /// Why the history does not count as complete.
    public struct Gap: Sendable, Hashable, Codable {
        /// `refusedData`, `morePages`, `missingSubscription` or `severalCustomers`.
        public var code: String
        /// The same in words.
        public var detail: String

        /// A gap by its parts.
        public init(code: String, detail: String) {
            self.code = code
            self.detail = detail
        }
    }

    /// The customers whose purchases they are.
    public var customers: [CustomerIdentifiersBody]
    /// What became of the transactions.
    public var transactions: Counts
    /// What became of the renewal infos.
    public var renewalInfos: Counts
    /// What became of the app transactions.
    public var appTransactions: Counts
    /// What was not believed.
    public var refused: [Refused]
    /// Why the history does not count as complete; empty if it does.
    public var gaps: [Gap]
    /// How much of the history is known now.
    public var coverage: CoverageBody

    /// An answer by its parts.
    public init(
        customers: [CustomerIdentifiersBody], transactions: Counts, renewalInfos: Counts, appTransactions: Counts,
        refused: [Refused], gaps: [Gap], coverage: CoverageBody
    ) {
        self.customers = customers
        self.transactions = transactions
        self.renewalInfos = renewalInfos
        self.appTransactions = appTransactions
        self.refused = refused
        self.gaps = gaps
        self.coverage = coverage
    }
}
