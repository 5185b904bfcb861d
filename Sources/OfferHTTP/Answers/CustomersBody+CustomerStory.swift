import OfferAPI
import OfferApplication
import OfferEligibility
import OfferModel

extension CustomersBody {
    init(_ story: CustomerStory) {
        let coverage = story.history.coverage
        self.init(
            customers: story.customers.map(CustomerIdentifiersBody.init), attributes: story.attributes,
            coverage: CoverageBody(
                level: coverage.level.rawValue, asOf: coverage.asOf, provenance: coverage.provenance),
            subscriptions: story.history.subscriptionStates(at: story.now).map(SubscriptionBody.init),
            transactions: story.history.currentTransactions.map(TransactionSummaryBody.init),
            issuedOffers: story.issuedOffers.map(IssuedOfferBody.init),
            timeline: CustomerTimeline.entries(story))
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
