public import OfferModel

/// A decoded payload on its way into the history; the caller has verified it, or says who stands behind it.
public struct HistoryPayload: Sendable, Hashable {
    /// What it says.
    public enum Content: Sendable, Hashable {
        /// One transaction.
        case transaction(Transaction)
        /// How a subscription renews.
        case renewalInfo(RenewalInfo)
        /// That an Apple Account has the app.
        case appTransaction(AppTransaction)
    }

    /// What it says.
    public let content: Content
    /// The payload's exact bytes.
    public let bytes: [UInt8]
    /// How it reached us; only proven ones may merge customers.
    public let provenance: Provenance

    /// A payload by its parts.
    public init(_ content: Content, bytes: [UInt8], provenance: Provenance) {
        self.content = content
        self.bytes = bytes
        self.provenance = provenance
    }

    /// The identifiers it holds together, the one that says whose it is first.
    var identifiers: [ProvenIdentifier] {
        switch content {
        case .transaction(let transaction):
            [.originalTransactionId(transaction.originalTransactionId)]
                + (transaction.appTransactionId.map { [.appTransactionId($0)] } ?? [])
        case .renewalInfo(let info):
            [.originalTransactionId(info.originalTransactionId)]
                + (info.appTransactionId.map { [.appTransactionId($0)] } ?? [])
        case .appTransaction(let transaction):
            transaction.appTransactionId.map { [.appTransactionId($0)] } ?? []
        }
    }

    var appAccountToken: AppAccountToken? {
        switch content {
        case .transaction(let transaction): transaction.appAccountToken
        case .renewalInfo(let info): info.appAccountToken
        case .appTransaction: nil
        }
    }
}

/// What became of one payload.
public struct IngestedPayload: Sendable, Hashable {
    /// How it changed the current view: `unchanged` also for an older view than the one known, which is kept too;
    /// `refused` for an app transaction without `appTransactionId`, which names nobody and is not kept.
    public var outcome: IngestOutcome
    /// Whose it is; `nil` for one that names nobody yet, such as renewal info of an unknown subscription.
    public var customer: CustomerNumber?
}
