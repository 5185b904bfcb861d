import OfferModel

/// A transaction or app transaction that Apple signed is known, because the signed statement must name one (Apple:
/// "Generating JWS to sign App Store requests").
struct TransactionKnownRule: Rule {
    let id = RuleId.introductoryTransactionKnown

    func concerns(_ offer: Offer) -> Bool { offer.type == .introductory }

    func finding(_ context: RuleContext) -> Finding {
        let history = context.subject.history
        guard context.isProven else {
            return undetermined(
                .transactionUnknown,
                "no transaction or app transaction signed by Apple is known, and the signature must name one")
        }
        let transaction = history.transactions.last { $0.provenance.isProven } ?? history.transactions.last
        if let transaction {
            let id = transaction.payload.transactionId
            return satisfied(
                "the transaction `\(id)` is known",
                evidence: [
                    Evidence(
                        field: "transactionId", observed: .text(id.rawValue), provenance: transaction.provenance,
                        transactionId: id)
                ])
        }
        return satisfied(
            "an app transaction is known",
            evidence: history.appTransactions.suffix(1).map {
                Evidence(
                    field: "appTransactionId", observed: $0.payload.appTransactionId.map { .text($0.rawValue) },
                    provenance: $0.provenance)
            })
    }
}
