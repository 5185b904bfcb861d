import Foundation
import LocalAppStore
import OfferModel
import OfferTestSupport
import Testing

/// The cases of Examples/cases/apple*.yaml with data that is signed and sent, as far as an answer shows them.
@Suite("Statements of Apple's pages, over a real socket")
struct ApplePagesTests {
    private static let day = Instant.Duration.day

    /// A transaction of `monthly`, days from now.
    private func transaction(
        _ service: ServiceFixture, _ id: String, of original: String? = nil, from: Int64, until: Int64,
        _ changes: [String: Any] = [:]
    ) throws -> String {
        func date(_ days: Int64) -> Int64 { service.clock.now.milliseconds + days * Self.day }
        let payload: [String: Any] = [
            "transactionId": id, "originalTransactionId": original ?? id, "bundleId": "com.example.pro",
            "productId": "monthly", "subscriptionGroupIdentifier": "21500001", "type": "Auto-Renewable Subscription",
            "inAppOwnershipType": "PURCHASED", "purchaseDate": date(from), "expiresDate": date(until),
            "signedDate": date(0), "environment": "LocalTesting", "price": 9_990, "currency": "USD",
            "appTransactionId": "app-1",
        ]
        let changed = payload.merging(changes) { $1 }
        return try service.root.sign(
            payload: Array(try JSONSerialization.data(withJSONObject: changed, options: .sortedKeys)))
    }

    private func issue(_ service: ServiceFixture, _ offer: String, _ transactions: [String]) async throws -> RawAnswer {
        let signed = transactions.map { "\"\($0)\"" }.joined(separator: ",")
        return try await service.ask(
            "POST", "/v1/issued-offers", token: try await service.token(.client),
            body:
                #"{"offerId":"\#(offer)","productId":"monthly","customer":{"appTransactionId":"app-1"},"historyComplete":true,"signedTransactions":[\#(signed)]}"#
        )
    }

    private func customer(_ service: ServiceFixture) async throws -> [String: Any] {
        try await service.ask(
            "GET", "/v1/customers?appTransactionId=app-1", token: try await service.token(.support)
        ).json
    }

    private func states(_ service: ServiceFixture) async throws -> [String] {
        let subscriptions = try await customer(service)["subscriptions"] as? [[String: Any]] ?? []
        return subscriptions.compactMap { $0["state"] as? String }
    }

    private func rules(_ answer: RawAnswer) -> [String] {
        (answer.json["findings"] as? [[String: Any]] ?? []).compactMap { $0["rule"] as? String }
    }

    @Test("the payer of a multiseat plan stays subscribed when added seats are refunded, until all are")
    func seats() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let refund: [String: Any] = [
                "revocationDate": service.clock.now.milliseconds - Self.day, "revocationReason": 0,
                "revocationType": "REFUND_FULL",
            ]
            let first = try transaction(service, "100", from: -10, until: 20)
            let added = try transaction(service, "101", of: "100", from: -5, until: 20, refund)
            let answer = try await issue(service, "trial", [first, added])
            #expect(answer.code == "not-eligible", "\(answer.text)")
            #expect(rules(answer) == ["platform.introductory.notSubscribed"])
            #expect(try await states(service) == ["subscribed"])
            service.clock.advance(milliseconds: 1_000)
            let refunded = try transaction(service, "100", from: -10, until: 20, refund)
            #expect(try await issue(service, "trial", [refunded]).status == 201)
            #expect(try await states(service) == ["revoked"])
        }
    }

    @Test("an assigned seat gives access, and no promotional offer")
    func assigned() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let seat = try transaction(service, "100", from: -10, until: 20, ["inAppOwnershipType": "ASSIGNED"])
            let answer = try await issue(service, "either", [seat])
            #expect(answer.code == "not-eligible", "\(answer.text)")
            #expect(rules(answer) == ["platform.promotional.everSubscribed"])
            #expect(try await states(service) == ["subscribed"])
        }
    }

    @Test(
        "a subscription that is paid for governs beside a running trial; retention offers and unknown revocations are named"
    )
    func named() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let trial: [String: Any] = ["offerType": 1, "offerDiscountType": "FREE_TRIAL", "price": 0]
            let retention: [String: Any] = ["offerType": 5, "offerIdentifier": "stay", "offerPeriod": "P1M"]
            let taken: [String: Any] = [
                "revocationDate": service.clock.now.milliseconds - 50 * Self.day, "revocationReason": 9,
            ]
            _ = try await issue(
                service, "either",
                [
                    try transaction(service, "100", from: -70, until: -40, taken),
                    try transaction(service, "101", of: "100", from: -10, until: 20, retention),
                    try transaction(service, "200", from: -3, until: 4, trial),
                ])
            #expect(try await states(service) == ["subscribed"])
            let timeline = try await customer(service)["timeline"] as? [[String: Any]] ?? []
            let messages = timeline.compactMap { $0["message"] as? String }
            #expect(messages.contains { $0.contains("with the retention offer `stay`") }, "\(messages)")
            #expect(messages.contains { $0.contains("Apple took back `monthly`") }, "\(messages)")
        }
    }
}
