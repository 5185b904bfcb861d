import OfferAPI
import OfferApplication
import OfferSigning

extension TransactionsBody {
    init(_ report: IngestReport) {
        self.init(
            customers: report.customers.map(CustomerIdentifiersBody.init),
            results: report.results.map {
                IngestResultBody(
                    pointer: $0.pointer, outcome: $0.outcome, code: $0.refusal?.refusal.code.rawValue,
                    detail: $0.refusal?.refusal.detail)
            })
    }
}

extension CustomerIdentifiersBody {
    init(_ known: KnownIdentifiers) {
        self.init(
            originalTransactionIds: known.originalTransactionIds, appTransactionId: known.appTransactionId,
            appAccountTokens: known.appAccountTokens, customerIds: known.customerIds)
    }
}
