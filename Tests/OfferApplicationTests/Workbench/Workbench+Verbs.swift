import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OpenSSLCrypto
import Synchronization
import Testing

// The verbs.
extension Workbench {
    @discardableResult
    func apply(_ text: String, expected: Int, dryRun: Bool = false) async throws -> CatalogApplied {
        try await useCases.catalogs.apply(
            text, format: .yaml, expectedRevision: expected, message: nil, dryRun: dryRun, caller: Self.marketing)
    }

    /// Sends signed data as `POST /v1/transactions` does.
    @discardableResult
    func deliver(
        _ delivery: SignedDelivery, aliases: CustomerIdentifiers = CustomerIdentifiers(),
        caller: Caller = Workbench.client
    ) async throws -> IngestReport {
        let report = try await useCases.ingestion.ingest(delivery, aliases: aliases, caller: caller)
        try await checkLedger()
        return report
    }

    /// Asks for an offer.
    func ask(_ order: IssueRequest, caller: Caller = Workbench.client) async throws -> IssueAnswer {
        let answer = try await useCases.issuing.issue(order, caller: caller)
        note(answer)
        try await checkLedger()
        return answer
    }

    /// Asks for an offer that must be granted.
    func granted(
        _ order: IssueRequest, location: SourceLocation = #_sourceLocation
    ) async throws -> (offer: IssuedOfferView, isNew: Bool) {
        let answer = try await ask(order)
        return try #require(answer.issued, "refused: \(answer)", sourceLocation: location)
    }

    /// Asks for an offer that must be refused.
    func refused(
        _ order: IssueRequest, location: SourceLocation = #_sourceLocation
    ) async throws -> IssueRefusal {
        let answer = try await ask(order)
        return try #require(answer.refusal, "granted: \(answer)", sourceLocation: location)
    }

    /// Decides one offer, or several, without a trace.
    func dryRun(
        _ customer: CustomerIdentifiers, _ offer: OfferId, productId: ProductId? = nil,
        signals: [String: FactValue] = [:]
    ) async throws -> Decision {
        let answer = try await useCases.decisions.decide(
            Inquiry(customer: customer, offerIds: [offer], productId: productId, signals: signals),
            caller: Self.support)
        return try #require(answer.decisions.first).decision
    }

    /// Runs a body inside the store and its scope.
    func write<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction, ScopeNumber) throws -> T
    ) async throws -> T {
        let ledger = OfferStore.Ledger(database, digest: OpenSSLDigest())
        return try await ledger.write(by: AuditAuthor(actor: "tests")) {
            try body($0, try ScopeStore($0).findOrAdd(Self.scope))
        }
    }
}

extension IssueOffer {
    /// The answer to a request without an `Idempotency-Key`, as it was given to be written.
    func issue(_ request: IssueRequest, caller: Caller) async throws -> IssueAnswer {
        let last = Mutex<IssueAnswer?>(nil)
        _ = try await issue(request, caller: caller, as: nil) { answer in
            last.withLock { $0 = answer }
            return WrittenAnswer(status: 200, contentType: "", body: [])
        }
        return try #require(last.withLock { $0 })
    }
}
