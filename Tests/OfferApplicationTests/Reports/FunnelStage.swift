import LocalAppStore
import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

/// Customers who live through an offer on a clock that the test sets, in days after the report's `from`.
struct FunnelStage {
    static let offer: OfferId = "comeback"
    static let from = Workbench.start.adding(milliseconds: Instant.Duration.day)

    static func catalog(holdout: Int) -> String {
        TestCatalog.head + """
              - id: comeback
                type: promotional
                offerIdentifier: comeback50
                products: [monthly]
                paymentMode: payAsYouGo
                period: P1M
                periodCount: 1
                price: { amount: "4.99", currency: USD }
                status: active
                eligibility:
                  all:
                    - { fact: subscription.state, in: [expired, subscribed] }
                    - { fact: subscription.willAutoRenew, is: false }
                limits: [ { count: 2, per: customer } ]
                rollout: { percent: 60, holdout: \(holdout) }
                formats: [v2]

            """
    }

    let bench: Workbench

    init(onFile: Bool = false) async throws {
        bench = try await Workbench(onFile: onFile, catalog: Self.catalog(holdout: 20))
    }

    static let sandbox = Workbench.caller(
        .marketing, scope: Scope(bundleId: "com.example.pro", environment: .sandbox))

    /// Puts the same catalog in force in Sandbox.
    func applySandbox() async throws {
        _ = try await bench.useCases.catalogs.apply(
            Self.catalog(holdout: 20), format: .yaml, expectedRevision: 0, message: nil, dryRun: false,
            caller: Self.sandbox)
    }

    static func day(_ day: Int64) -> Instant { from.adding(milliseconds: day * Instant.Duration.day) }

    func setClock(_ instant: Instant) {
        bench.clock.advance(milliseconds: instant.milliseconds(since: bench.clock.now))
    }

    /// Asks for the offer with a customer's data of this moment.
    @discardableResult
    func ask(
        _ id: String, _ scene: Scene = .lapsed, complete: Bool = true, cancelled: Bool = false,
        environment: AppStoreEnvironment = .localTesting
    ) async throws -> IssueAnswer {
        var delivery = try bench.shop.delivery(scene, id, complete: complete, environment: environment)
        if cancelled { delivery.signedRenewalInfo = [try renewal(id, renews: false)] }
        let caller = Workbench.caller(
            .client, scope: Scope(bundleId: Workbench.scope.bundleId, environment: environment))
        return try await bench.useCases.issuing.issue(.of(Self.offer, delivery), caller: caller)
    }

    /// Delivers signed data, each JWS by itself: one request is about one Apple Account.
    func deliver(_ transactions: [String], _ infos: [String] = []) async throws {
        let deliveries =
            transactions.map { SignedDelivery(signedTransactions: [$0]) }
            + infos.map { SignedDelivery(signedRenewalInfo: [$0]) }
        for delivery in deliveries {
            let report = try await bench.useCases.ingestion.ingest(
                delivery, aliases: CustomerIdentifiers(), caller: Workbench.client)
            try #require(report.results.allSatisfy { $0.outcome != .refused }, "\(report.results)")
        }
    }

    /// A period of a customer's subscription, with the offer or at full price, signed as it began.
    ///
    /// - Parameter account: the Apple Account it names; empty for none, `app-<id>` if absent.
    func period(
        _ id: String, _ number: Int, _ begins: Instant, until ends: Instant, offered: Bool = false,
        refundedAt: Instant? = nil, account: String? = nil
    ) throws -> String {
        let like = try #require(try bench.shop.delivery(.lapsed, id).signedTransactions.first)
        return try bench.shop.edited(like) { payload in
            payload["transactionId"] = "\(id)00\(number)"
            payload["purchaseDate"] = begins.milliseconds
            payload["expiresDate"] = ends.milliseconds
            payload["signedDate"] = max(begins, refundedAt ?? begins).milliseconds
            payload["appTransactionId"] = account == "" ? nil : account ?? "app-\(id)"
            if offered {
                payload["offerType"] = 2
                payload["offerIdentifier"] = "comeback50"
                payload["offerDiscountType"] = "PAY_AS_YOU_GO"
                payload["offerPeriod"] = "P1M"
                payload["price"] = 4_990
            }
            payload["revocationDate"] = refundedAt?.milliseconds
            payload["revocationReason"] = refundedAt == nil ? nil : 0
            payload["revocationType"] = refundedAt == nil ? nil : "REFUND_FULL"
        }
    }

    /// Renewal info of a customer's subscription, signed then or now.
    func renewal(
        _ id: String, renews: Bool, ended: Bool = false, signed: Instant? = nil, isAnonymous: Bool = false
    ) throws -> String {
        let like = try #require(try bench.shop.delivery(.subscriber, id).signedRenewalInfo.first)
        let now = bench.clock.now
        return try bench.shop.edited(like) { payload in
            payload["autoRenewStatus"] = renews ? 1 : 0
            payload["expirationIntent"] = ended ? 1 : nil
            if isAnonymous { payload["appTransactionId"] = nil }
            payload["signedDate"] = (signed ?? now).milliseconds
        }
    }

    /// Asks for somebody whose subscription renews, and of whose Apple Account nothing is known.
    func askAnonymously(_ id: String) async throws -> IssueAnswer {
        try await deliver(
            [try period(id, 0, Self.day(-20), until: Self.day(40), account: "")],
            [try renewal(id, renews: true, isAnonymous: true)])
        return try await bench.useCases.issuing.issue(
            IssueRequest(offerId: Self.offer, customer: named(id)), caller: Workbench.client)
    }

    func report(
        _ offerId: OfferId? = nil, from: Instant? = FunnelStage.from, to: Instant? = FunnelStage.day(10),
        caller: Caller = Workbench.marketing
    ) async throws -> FunnelReport {
        try await bench.useCases.reports.funnel(of: offerId, from: from, to: to, caller: caller)
    }

    func funnel(from: Instant? = FunnelStage.from, to: Instant? = FunnelStage.day(10)) async throws -> OfferFunnel {
        try #require(try await report(Self.offer, from: from, to: to).offers.first)
    }
}
