import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning

/// `POST /v1/transactions`: signed data into the history.
struct TransactionsController: Sendable {
    let ingestion: HistoryIngestion
    let bodyLimit: Int

    @Sendable func ingest(_ request: Request, _ context: CallerContext<ClientAccess>) async throws -> Response {
        let (delivery, aliases) = try await request.decode(TransactionsRequestBody.self, upTo: bodyLimit).delivery()
        let report = try await ingestion.ingest(delivery, aliases: aliases, caller: context.caller)
        return try .json(TransactionsBody(report))
    }
}

extension TransactionsRequestBody {
    /// The signed data, and the names the customer goes by.
    ///
    /// - Throws: ``RequestFault`` with every value that is not accepted.
    func delivery() throws(RequestFault) -> (delivery: SignedDelivery, aliases: CustomerIdentifiers) {
        let delivery = SignedDelivery(
            signedTransactions: signedTransactions, signedRenewalInfo: signedRenewalInfo ?? [],
            signedAppTransaction: signedAppTransaction, historyComplete: historyComplete ?? false)
        var checks = RequestChecks()
        checks.text(customer?.customerId?.rawValue, at: .root.appending("customer").appending("customerId"))
        checks.delivery(delivery)
        try checks.finish()
        let aliases = CustomerIdentifiers(appAccountToken: customer?.appAccountToken, customerId: customer?.customerId)
        return (delivery, aliases)
    }
}

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
