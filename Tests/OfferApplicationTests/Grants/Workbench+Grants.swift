import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

extension Workbench {
    /// Grants a customer one use, as support does.
    @discardableResult
    func grant(
        _ offer: OfferId, to customer: String, reason: String = "ticket 4711", expiresAt: Instant? = nil
    ) async throws -> GrantView {
        let grant = try await useCases.grants.grant(
            offer, to: named(customer), reason: reason, expiresAt: expiresAt, caller: Self.support)
        try await checkLedger()
        return grant
    }

    func grants(of customer: String) async throws -> [GrantView] {
        try await useCases.grants.grants(of: named(customer), caller: Self.support).items
    }

    /// Redeems an issued offer of a customer of ``Shop``.
    ///
    /// - Parameter transaction: the purchase's own number.
    func redeem(_ offer: OfferId, of customer: String, as transaction: String) async throws {
        let like = try shop.delivery(.lapsed, customer).signedTransactions.first
        guard let like else { return }
        let use = try shop.redemption(of: "\(offer)50", transaction, like: like, at: clock.now)
        try await deliver(SignedDelivery(signedTransactions: [use]))
    }

    /// Lets forty days pass, after which a redeemed month is over and the subscription has ended.
    func end(_ customer: String) async throws {
        clock.advance(hours: 24 * 40)
        try await deliver(
            SignedDelivery(signedRenewalInfo: try shop.delivery(.lapsed, customer).signedRenewalInfo))
    }
}

extension Decision {
    /// The rules that a grant lifts.
    var lifted: [RuleId] { findings.filter { $0.verdict == .lifted }.map(\.rule) }
}
