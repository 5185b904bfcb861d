import OfferModel

/// Where an identifier of a customer comes from, for whoever asks why it names them.
struct IdentifierSource {
    /// How it reached us: with Apple's data, or on the backend's word.
    var provenance: Provenance
    /// The transaction, or of renewal info the subscription, whose payload names it.
    var transactionId: TransactionId?
    /// The request that stated it.
    var requestId: LowercaseUUID?

    /// A payload that names it.
    init(_ payload: HistoryPayload) {
        provenance = payload.provenance
        switch payload.content {
        case .transaction(let transaction): transactionId = transaction.transactionId
        case .renewalInfo(let info): transactionId = info.originalTransactionId
        case .appTransaction: transactionId = nil
        }
    }

    /// Renewal info that has waited for its subscription.
    init(renewalInfoOf id: TransactionId, provenance: Provenance) {
        self.provenance = provenance
        transactionId = id
    }

    /// The word of whoever stands behind a history.
    init(provenance: Provenance) {
        self.provenance = provenance
    }

    /// The backend's word.
    init(statedBy requestId: LowercaseUUID?) {
        provenance = .caller
        self.requestId = requestId
    }
}
