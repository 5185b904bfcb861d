public import OfferModel

/// Why two customers are one: the identifiers that one payload of Apple's names together (docs/design.md#identity).
public struct MergeProof: Sendable, Hashable {
    /// What the payload names.
    public let identifiers: [ProvenIdentifier]
    /// The transaction whose payload it is, or of renewal info the subscription; absent for an app transaction.
    public let transactionId: TransactionId?
    /// How the payload reached us.
    public let provenance: Provenance

    init(_ identifiers: [ProvenIdentifier], _ source: IdentifierSource) {
        self.identifiers = identifiers
        transactionId = source.transactionId
        provenance = source.provenance
    }

    /// Reads what a row of `customer_merge` holds; `nil` if that was erased.
    init?(text: String) {
        guard let list = StoredTextList(storedValue: .text(text)) else { return nil }
        var identifiers: [ProvenIdentifier] = []
        var transactionId: TransactionId?
        var provenance: Provenance?
        for text in list.texts {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "originalTransactionId": identifiers.append(.originalTransactionId(TransactionId(parts[1])))
            case "appTransactionId": identifiers.append(.appTransactionId(AppTransactionId(parts[1])))
            case "transactionId": transactionId = TransactionId(parts[1])
            case "provenance": provenance = Provenance(rawValue: parts[1])
            default: continue
            }
        }
        guard let provenance else { return nil }
        self.identifiers = identifiers
        self.transactionId = transactionId
        self.provenance = provenance
    }

    var stored: StoredTextList {
        StoredTextList(
            identifiers.map { "\($0.kind)=\($0.value)" } + (transactionId.map { ["transactionId=\($0)"] } ?? [])
                + ["provenance=\(provenance.rawValue)"])
    }
}
