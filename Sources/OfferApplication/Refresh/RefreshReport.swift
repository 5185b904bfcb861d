public import OfferEligibility
public import OfferModel

/// What asking the App Store for somebody's purchases came to.
public struct RefreshReport: Sendable, Hashable {
    /// The customers they belong to, as far as proven.
    public var customers: [KnownIdentifiers] = []
    /// What became of the transactions.
    public var transactions = OutcomeCounts()
    /// What became of the renewal infos.
    public var renewalInfos = OutcomeCounts()
    /// What became of the app transactions.
    public var appTransactions = OutcomeCounts()
    /// What was not believed; the pointer tells which of Apple's answer.
    public var refused: [RefusedData] = []
    /// Why the history does not count as complete; empty if it does.
    public var gaps: [RefreshGap] = []
    /// How much of the history is known now.
    public var coverage = Coverage.none

    /// A report of nothing.
    public init() {}

    mutating func add(_ kept: KeptAccount) {
        transactions.add(kept.transactions)
        renewalInfos.add(kept.renewalInfos)
        appTransactions.add(kept.appTransactions)
        refused += kept.refused
        gaps += kept.gaps.filter { !gaps.contains($0) }
    }
}

/// How many payloads came to what.
public struct OutcomeCounts: Sendable, Hashable {
    private var counts: [IngestOutcome: Int] = [:]

    /// None.
    public init() {}

    /// How many came to this.
    public subscript(outcome: IngestOutcome) -> Int { counts[outcome] ?? 0 }

    /// How many there were.
    public var total: Int { counts.values.saturatingSum() }

    mutating func add(_ outcome: IngestOutcome) {
        counts[outcome, default: 0] += 1
    }

    mutating func add(_ others: OutcomeCounts) {
        counts.merge(others.counts, uniquingKeysWith: +)
    }
}

/// Why what the App Store answered does not count as all there is (invariant 3).
public enum RefreshGap: String, Sendable, Hashable, CaseIterable, Codable {
    /// Some of it was not believed.
    case refusedData
    /// There are more pages than are fetched at once.
    case morePages
    /// A subscription that is known of the customer was not part of it.
    case missingSubscription
    /// It names several customers whom nothing signed proves to be one.
    case severalCustomers

    /// The gap in words.
    public var detail: String {
        switch self {
        case .refusedData: "some of what Apple gave was refused"
        case .morePages: "Apple has more pages of the history than are fetched at once"
        case .missingSubscription: "Apple's history lacks a subscription that is known of the customer"
        case .severalCustomers: "Apple's history names several customers whom nothing signed proves to be one"
        }
    }
}
