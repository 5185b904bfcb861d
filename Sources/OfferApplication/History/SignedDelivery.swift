public import OfferModel

/// Signed data as a request brings it, not yet believed.
public struct SignedDelivery: Sendable, Hashable {
    /// Transactions as compact JWS.
    public var signedTransactions: [String]
    /// Renewal info as compact JWS.
    public var signedRenewalInfo: [String]
    /// The app transaction as compact JWS.
    public var signedAppTransaction: String?
    /// Whether the backend vouches that nothing is missing.
    public var historyComplete: Bool

    /// A delivery by its parts.
    public init(
        signedTransactions: [String] = [], signedRenewalInfo: [String] = [], signedAppTransaction: String? = nil,
        historyComplete: Bool = false
    ) {
        self.signedTransactions = signedTransactions
        self.signedRenewalInfo = signedRenewalInfo
        self.signedAppTransaction = signedAppTransaction
        self.historyComplete = historyComplete
    }

    /// How many JWS it holds; a request may bring at most ``maximumCount``.
    public var count: Int {
        signedTransactions.count + signedRenewalInfo.count + (signedAppTransaction == nil ? 0 : 1)
    }

    /// How many JWS one request may bring (docs/design.md#http).
    public static let maximumCount = 200
}

/// What became of a delivery.
public struct IngestReport: Sendable, Hashable {
    /// The customers it belongs to, as far as proven.
    public var customers: [KnownIdentifiers]
    /// One result a JWS, in the order of the request.
    public var results: [IngestResult]

    /// A report by its parts.
    public init(customers: [KnownIdentifiers], results: [IngestResult]) {
        self.customers = customers
        self.results = results
    }
}

/// What became of one JWS.
public struct IngestResult: Sendable, Hashable {
    /// Where it stands in the request, as a JSON pointer.
    public var pointer: String
    /// What became of it.
    public var outcome: IngestOutcome
    /// Why it was refused.
    public var refusal: RefusedData?

    /// A result by its parts.
    public init(pointer: String, outcome: IngestOutcome, refusal: RefusedData? = nil) {
        self.pointer = pointer
        self.outcome = outcome
        self.refusal = refusal
    }
}
