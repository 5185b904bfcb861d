import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Timeline of a customer")
struct TimelineTests {
    private static let day = Instant.Duration.day

    private static func entries(_ bench: Workbench, _ id: String = "100") async throws -> [TimelineEntry] {
        try await bench.useCases.customers.story(named(id), limit: 200, caller: Workbench.client).timeline
    }

    private static func messages(_ bench: Workbench, _ kind: TimelineEntry.Kind) async throws -> [String] {
        try await entries(bench).filter { $0.kind == kind.rawValue }.map(\.message)
    }

    /// Renewal info of the subscriber, as Apple signs it some days from the start.
    private static func info(
        _ bench: Workbench, day number: Int64, _ change: (inout [String: Any]) -> Void
    ) throws -> SignedDelivery {
        let info = try #require(try bench.shop.delivery(.subscriber, "100").signedRenewalInfo.first)
        let signed = Workbench.start.adding(milliseconds: number * day).milliseconds
        return SignedDelivery(signedRenewalInfo: [
            try bench.shop.edited(info) { payload in
                payload["signedDate"] = signed
                change(&payload)
            }
        ])
    }

    @Test(
        "renewal turned off and on, a change of product and a failed payment show between renewal infos, in any order of arrival (invariant 7)"
    )
    func renewals() async throws {
        var told: [[TimelineEntry]] = []
        for isReversed in [false, true] {
            let bench = try await Workbench()
            try await bench.deliver(try bench.shop.delivery(.subscriber, "100", complete: false))
            bench.clock.advance(hours: 24 * 60)
            let infos = [
                try Self.info(bench, day: 1) { $0["autoRenewStatus"] = 0 },
                try Self.info(bench, day: 2) { $0["autoRenewStatus"] = 1 },
                try Self.info(bench, day: 3) { $0["autoRenewProductId"] = "yearly" },
                try Self.info(bench, day: 4) { _ in },
                try Self.info(bench, day: 25) { payload in
                    payload["isInBillingRetryPeriod"] = true
                    payload["gracePeriodExpiresDate"] =
                        Workbench.start.adding(milliseconds: 30 * Self.day).milliseconds
                },
                try Self.info(bench, day: 50) { payload in
                    payload["autoRenewStatus"] = 0
                    payload["expirationIntent"] = 2
                },
            ]
            for info in isReversed ? infos.reversed() : infos { try await bench.deliver(info) }
            told.append(try await Self.entries(bench))
            #expect(try await Self.messages(bench, .cancelled) == ["auto-renew of `monthly` was turned off"])
            #expect(try await Self.messages(bench, .resumed) == ["auto-renew of `monthly` was turned on again"])
            #expect(
                try await Self.messages(bench, .productChange) == [
                    "the change to `yearly` was undone: `monthly` continues",
                    "the next renewal will be `yearly` instead of `monthly`",
                ])
            #expect(
                try await Self.messages(bench, .paymentFailed) == [
                    "the renewal of `monthly` could not be charged; Apple will try again; access continues until "
                        + "2026-12-01 00:00 UTC"
                ])
            #expect(
                try await Self.messages(bench, .expired) == ["`monthly` expired: the payment failed (transaction 100)"])
        }
        #expect(told.first == told.last)
        #expect(told.first?.map(\.at) == told.first?.map(\.at).sorted(by: >))
        let cancelled = told.first?.first { $0.kind == "cancelled" }
        #expect(cancelled?.at == Workbench.start.adding(milliseconds: Self.day))
    }

    @Test(
        "what Apple turned off because a payment failed is no cancellation, and the first renewal info says that it is the first"
    )
    func firstKnown() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        #expect(
            try await Self.messages(bench, .cancelled) == [
                "auto-renew of `monthly` is off (first seen on this date)"
            ])
        #expect(try await Self.messages(bench, .expired) == ["`monthly` expired: auto-renew was off (transaction 100)"])
    }

    @Test(
        "a payment that recovers within its grace period ends nothing, one without grace does, and an upgrade names what it replaces",
        arguments: [true, false])
    func recovered(hasGrace: Bool) async throws {
        let bench = try await Workbench()
        let delivery = try bench.shop.delivery(.subscriber, "100", complete: false)
        let jws = try #require(delivery.signedTransactions.first)
        try await bench.deliver(delivery)
        bench.clock.advance(hours: 24 * 60)
        func bought(_ id: String, day: Int64, _ change: @escaping (inout [String: Any]) -> Void) throws
            -> SignedDelivery
        {
            let at = Workbench.start.adding(milliseconds: day * Self.day)
            return SignedDelivery(signedTransactions: [
                try bench.shop.edited(jws) { payload in
                    payload["transactionId"] = id
                    payload["purchaseDate"] = at.milliseconds
                    payload["signedDate"] = at.milliseconds
                    payload["expiresDate"] = at.adding(months: 12).milliseconds
                    change(&payload)
                }
            ])
        }
        try await bench.deliver(
            try Self.info(bench, day: 22) { payload in
                payload["isInBillingRetryPeriod"] = true
                guard hasGrace else { return }
                payload["gracePeriodExpiresDate"] = Workbench.start.adding(milliseconds: 30 * Self.day).milliseconds
            })
        try await bench.deliver(
            try bought("101", day: 25) { payload in
                payload["transactionReason"] = "RENEWAL"
                payload["isUpgraded"] = true
            })
        try await bench.deliver(
            try bought("102", day: 40) { payload in
                payload["transactionReason"] = "PURCHASE"
                payload["productId"] = "yearly"
            })
        #expect(try await Self.messages(bench, .expired) == (hasGrace ? [] : ["`monthly` expired (transaction 100)"]))
        #expect(
            try await Self.messages(bench, .purchased).first
                == "`yearly` replaced `monthly` for 9.99 USD (transaction 102)")
    }

    @Test("refunds, refunds taken back, shared access and purchases again are told by what they are")
    func purchases() async throws {
        let bench = try await Workbench()
        let delivery = try bench.shop.delivery(.lapsed, "100", complete: false)
        let jws = try #require(delivery.signedTransactions.first)
        try await bench.deliver(delivery)
        bench.clock.advance(hours: 24 * 3)
        func signed(_ at: Instant, _ change: @escaping (inout [String: Any]) -> Void) throws -> SignedDelivery {
            SignedDelivery(signedTransactions: [
                try bench.shop.edited(jws) { payload in
                    payload["signedDate"] = at.milliseconds
                    change(&payload)
                }
            ])
        }
        let refund = Workbench.start.adding(milliseconds: Self.day)
        let again = Workbench.start.adding(milliseconds: 2 * Self.day)
        try await bench.deliver(
            try signed(refund) { payload in
                payload["revocationDate"] = refund.milliseconds
                payload["revocationReason"] = 1
            })
        #expect(
            try await Self.messages(bench, .revoked) == [
                "Apple refunded `monthly` because of an issue in the app (transaction 100)"
            ])
        try await bench.deliver(try signed(again) { _ in })
        #expect(try await Self.messages(bench, .revoked).isEmpty)
        let reversed = try #require(try await Self.entries(bench).first { $0.kind == "refundReversed" })
        #expect(reversed.at == again)
        #expect(reversed.message == "Apple reversed the refund of `monthly` (transaction 100)")
        try await bench.deliver(
            try signed(again) { payload in
                payload["transactionId"] = "101"
                payload["purchaseDate"] = again.milliseconds
                payload["expiresDate"] = again.adding(months: 1).milliseconds
                payload["transactionReason"] = "PURCHASE"
                payload["offerType"] = 4
                payload["offerIdentifier"] = "back"
                payload["offerPeriod"] = "P1M"
            })
        #expect(
            try await Self.messages(bench, .purchased) == [
                "`monthly` was bought again with the win-back offer `back` for 9.99 USD (transaction 101)",
                "`monthly` was bought for 9.99 USD (transaction 100)",
            ])
        #expect(
            try await Self.messages(bench, .redeemed) == ["the offer `back` was redeemed (not issued by us)"])
    }

    @Test(
        "seats added, refunded and wanted for the next renewal are named, in any order of arrival; what Apple adds is kept as signed (invariant 7)"
    )
    func seats() async throws {
        var told: [[TimelineEntry]] = []
        for isReversed in [false, true] {
            let bench = try await Workbench()
            let delivery = try bench.shop.delivery(.subscriber, "100", complete: false)
            let jws = try #require(delivery.signedTransactions.first)
            bench.clock.advance(hours: 24 * 10)
            func signed(day: Int64, _ change: @escaping (inout [String: Any]) -> Void) throws -> SignedDelivery {
                SignedDelivery(signedTransactions: [
                    try bench.shop.edited(jws) { payload in
                        payload["signedDate"] = Workbench.start.adding(milliseconds: day * Self.day).milliseconds
                        payload["quantity"] = 5
                        payload["bundleProductID"] = "com.example.everything"
                        change(&payload)
                    }
                ])
            }
            let deliveries = [
                try signed(day: 0) { _ in },
                try signed(day: 1) { payload in
                    payload["transactionId"] = "101"
                    payload["purchaseDate"] = Workbench.start.adding(milliseconds: Self.day).milliseconds
                    payload["quantity"] = 2
                    payload["additionalTransactionReason"] = "SEAT_ADDITION"
                },
                try signed(day: 2) { $0["multiSeatInfo"] = ["revokedSeatQuantity": 1] },
                try signed(day: 3) { $0["multiSeatInfo"] = ["revokedSeatQuantity": 3] },
                try signed(day: 4) { $0["multiSeatInfo"] = ["revokedSeatQuantity": 3] },
                try Self.info(bench, day: 1) { $0["renewalQuantity"] = 7 },
                try Self.info(bench, day: 5) { $0["renewalQuantity"] = 1 },
            ]
            for delivery in isReversed ? deliveries.reversed() : deliveries { try await bench.deliver(delivery) }
            told.append(try await Self.entries(bench))
            #expect(
                try await Self.messages(bench, .purchased) == [
                    "`monthly` was bought with 5 seats for 9.99 USD (transaction 100)"
                ])
            #expect(
                try await Self.messages(bench, .seats) == [
                    "the next renewal of `monthly` will be for 1 seat instead of 7",
                    "Apple has refunded 3 of 5 seats of `monthly` (transaction 100)",
                    "Apple has refunded 1 of 5 seats of `monthly` (transaction 100)",
                    "`monthly` got 2 seats more for 9.99 USD (transaction 101)",
                ])
            #expect(try await Self.messages(bench, .revoked).isEmpty)
            let stored = try await bench.payloads().map { String(decoding: $0, as: UTF8.self) }
            #expect(stored.contains { $0.contains(#""bundleProductID":"com.example.everything""#) })
        }
        #expect(told.first == told.last)
    }

    @Test("refusals of a day are one entry with the last reason, and say when why is not kept any more")
    func refusals() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        for number in 0..<3 {
            // Identical refusals are one record.
            let order = IssueRequest(
                offerId: "sketch", customer: named("100"), signals: ["interactions": .number(Double(number))])
            _ = try await bench.refused(order)
            bench.clock.advance(milliseconds: 1_000)
        }
        let last = Workbench.start.adding(milliseconds: 2_000)
        let refused = try #require(try await Self.entries(bench).first { $0.kind == "refused" })
        #expect(refused.at == last)
        #expect(
            refused.message
                == "the offer `sketch` was refused 3 times on \(last.description.prefix(10)), the last time: "
                + "the offer `sketch` is a draft")
        bench.clock.advance(hours: 24)
        let unknown = try await bench.refused(IssueRequest(offerId: "engaged", customer: named("100")))
        #expect(unknown.decision.outcome == .undetermined)
        let undecided = try #require(try await Self.messages(bench, .refused).first)
        let why = try #require(unknown.decision.findings.first { $0.verdict == .undetermined }).message
        #expect(undecided == "the offer `engaged` could not be decided: \(why)")
        _ = try await bench.write { transaction, _ in
            try transaction.execute(
                Statement(
                    "UPDATE refusal SET record = ?1", Array((Redacted.prefix + String(repeating: "0", count: 64)).utf8))
            )
        }
        #expect(
            try await Self.messages(bench, .refused).first
                == "the offer `engaged` could not be decided: why is not kept any more")
    }

    @Test("a merge tells who was merged, as what the app knew them, and which payload proved it")
    func merges() async throws {
        let bench = try await Workbench()
        for (id, name) in [("100", "anna"), ("200", "second")] {
            let jws = try bench.shop.edited(
                try #require(try bench.shop.delivery(.lapsed, id).signedTransactions.first)
            ) { $0["appTransactionId"] = nil }
            try await bench.deliver(
                SignedDelivery(signedTransactions: [jws]),
                aliases: CustomerIdentifiers(customerId: CustomerId(name)))
            bench.clock.advance(milliseconds: 1_000)
        }
        for id in ["100", "200"] {
            let signed = bench.clock.now.milliseconds
            let jws = try bench.shop.edited(
                try #require(try bench.shop.delivery(.lapsed, id).signedTransactions.first)
            ) { payload in
                payload["appTransactionId"] = "app-one"
                payload["signedDate"] = signed
            }
            try await bench.deliver(SignedDelivery(signedTransactions: [jws]))
        }
        #expect(
            try await Self.messages(bench, .merged) == [
                "the customer first stored as `200` on 2026-11-01 00:00 UTC, known to the app as "
                    + "`customerId` `second`, was proven to be the same Apple Account: the data of transaction 200, sent by "
                    + "the app, names `originalTransactionId` `200` and `appTransactionId` `app-one` together"
            ])
    }

    @Test("uses from before the service was installed count against limits and are told, once their data arrives")
    func beforeInstallation() async throws {
        let bench = try await Workbench()
        let delivery = try bench.shop.delivery(.lapsed, "100")
        let jws = try #require(delivery.signedTransactions.first)
        // The customer is known and eligible; the history from before comes afterwards.
        try await bench.deliver(delivery)
        #expect(try await bench.dryRun(named("100"), "comeback").outcome == .eligible)
        let years = Workbench.start.adding(months: -30)
        let old = try bench.shop.redemption(of: "comeback50", "90", like: jws, at: years)
        try await bench.deliver(SignedDelivery(signedTransactions: [old]))
        let refusal = try await bench.refused(IssueRequest(offerId: "comeback", customer: named("100")))
        #expect(refusal.decision.obstacles == [.limitCustomer])
        #expect(refusal.decision[.limitCustomer]?.evidence.last?.transactionId == "90")
        let used = try #require(try await Self.entries(bench).first { $0.kind == "redeemed" })
        #expect(used.at == years)
        #expect(used.message == "the offer `comeback50` was redeemed (not issued by us)")
        // For everyone's limits too, of which nobody is asked by customer.
        let counted = try await bench.write { transaction, _ in
            try transaction.rows(Statement("SELECT offer_identifier, amount FROM redemption_counter WHERE amount > 0"))
                .map { "\($0.values)" }
        }
        #expect(counted == ["\([StoredValue.text("comeback50"), .integer(1)])"])
    }
}
