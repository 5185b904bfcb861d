import OfferAPI
import OfferApplication
import OfferEligibility
import OfferModel

extension CustomersBody {
    init(_ story: CustomerDetails) {
        let coverage = story.history.coverage
        let transactions = story.history.currentTransactions
        let older = transactions.count - Self.shownTransactions
        self.init(
            customers: zip(story.customers, story.origins).map(KnownCustomerBody.init), attributes: story.attributes,
            coverage: CoverageBody(
                level: coverage.level.rawValue, asOf: coverage.asOf, provenance: coverage.provenance),
            subscriptions: story.history.subscriptionStates(at: story.now).map(SubscriptionBody.init),
            transactions: transactions.suffix(Self.shownTransactions).map(TransactionSummaryBody.init),
            olderTransactions: older > 0 ? older : nil, issuedOffers: story.issuedOffers.map(IssuedOfferBody.init),
            timeline: story.timeline.entries.map {
                TimelineEntryBody(at: $0.at, kind: $0.kind.rawValue, message: $0.message)
            }, next: story.timeline.next?.text)
    }

    /// How many of the newest transactions are shown; the timeline has them all.
    private static let shownTransactions = 100
}

extension KnownCustomerBody {
    init(_ known: KnownIdentifiers, _ origins: [IdentifierOrigin]) {
        self.init(
            originalTransactionIds: known.originalTransactionIds, appTransactionId: known.appTransactionId,
            appAccountTokens: known.appAccountTokens, customerIds: known.customerIds,
            identifiers: origins.map {
                IdentifierOriginBody(
                    kind: $0.kind.rawValue, value: $0.value, since: $0.since, provenance: $0.provenance,
                    transactionId: $0.transactionId, requestId: $0.requestId)
            })
    }
}

extension SubscriptionBody {
    init(_ state: SubscriptionState) {
        self.init(
            subscriptionGroupIdentifier: state.subscriptionGroupIdentifier, state: state.name,
            undeterminedBecause: state.standing.undeterminedReason?.rawValue, hasAccess: state.hasAccess,
            willAutoRenew: state.willAutoRenew, productId: state.transaction?.productId,
            expiresDate: state.accessEnds, daysLeft: state.daysLeft, lastMomentToCancel: state.lastMomentToCancel,
            transactionId: state.transaction?.transactionId)
    }
}

extension TransactionSummaryBody {
    init(_ row: Recorded<Transaction>) {
        let transaction = row.payload
        self.init(
            transactionId: transaction.transactionId, originalTransactionId: transaction.originalTransactionId,
            productId: transaction.productId, purchaseDate: transaction.purchaseDate,
            expiresDate: transaction.expiresDate, revocationDate: transaction.revocationDate,
            offerType: transaction.offerType?.rawValue, offerIdentifier: transaction.offerIdentifier,
            price: transaction.paid?.description, provenance: row.provenance)
    }
}

extension Transaction {
    /// What was charged, where Apple says.
    fileprivate var paid: Money? {
        guard let price, let currency else { return nil }
        return Money(milliunits: price, currency: currency)
    }
}
