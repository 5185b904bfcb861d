import Foundation
import LocalAppStore
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@testable import OfferConsole

/// A server in which every ``StoredText`` has an attack in it, or as many plain letters.
struct TextWorld: Sendable {
    let console: ConsoleFixture
    let attack: String
    let isAttacked: Bool
    /// The keys of the roles, each with its label.
    private(set) var sessions: [Role: String] = [:]
    private(set) var issued = ""
    private(set) var refusal = ""
    private(set) var simulation = ""
    private(set) var customer = ""

    init(_ console: ConsoleFixture, _ attack: String, isAttacked: Bool) async throws {
        (self.console, self.attack, self.isAttacked) = (console, attack, isAttacked)
        try await fill()
    }

    static func reload(_ attack: String, isAttacked: Bool) -> @Sendable (inout ServerState) -> Void {
        let failure = text(.reload, attack, isAttacked)
        return { $0.lastReload = ServerState.Reload(at: ConsoleFixture.start, failure: .init(failure, hint: failure)) }
    }

    static func webhook(_ attack: String, isAttacked: Bool) -> Webhook {
        OperationsTests.webhook(named: text(.webhook, attack, isAttacked))
    }

    func text(_ stored: StoredText) -> String { Self.text(stored, attack, isAttacked) }

    /// The attack where the field takes it, and letters otherwise.
    private static func text(_ stored: StoredText, _ attack: String, _ isAttacked: Bool) -> String {
        let attacked = stored.text(attack)
        if isAttacked, stored.takes(attacked) { return attacked }
        let letters = stored.text(String(repeating: "x", count: min(attack.unicodeScalars.count, 40)))
        return stored.takes(letters) ? letters : stored.rawValue
    }

    private var catalog: String { catalog { text($0) } }

    private func catalog(_ text: (StoredText) -> String) -> String {
        """
        # \(text(.comment))
        bundleId: com.example.pro
        subscriptionGroups:
          - id: \(Self.quoted(text(.group)))
            products:
              - { productId: \(Self.quoted(text(.product))), level: 1, period: P1M, price: { amount: "9.99", currency: USD } }
        offers:
          - id: comeback
            type: promotional
            offerIdentifier: comeback50
            products: [\(Self.quoted(text(.product)))]
            paymentMode: payAsYouGo
            period: P1M
            periodCount: 3
            price: { amount: "4.99", currency: USD }
            status: active
            rollout: { percent: 100, salt: \(Self.quoted(text(.salt))) }
            eligibility:
              all:
                - { fact: signals.plan, isNot: \(Self.quoted(text(.operand))) }
                - { fact: customer.attributes.plan, isNot: \(Self.quoted(text(.attributeOperand))) }
            limits: [ { count: 2, per: customer }, { count: 500 } ]
            formats: [v2]
          - id: either
            type: promotional
            offerIdentifier: either10
            products: [\(Self.quoted(text(.product)))]
            paymentMode: freeTrial
            period: P1M
            periodCount: 1
            status: active
            eligibility:
              all:
                - { fact: signals.plan, in: [\(Self.quoted(text(.operand)))] }
                - { fact: customer.storefront, isNot: DEU }
            limits: []

        """
    }

    /// A text of YAML, with an escape for what is no letter, sign or blank.
    private static func quoted(_ text: String) -> String {
        let parts = text.unicodeScalars.map { scalar in
            (0x20...0x7E).contains(scalar.value) && scalar != "\"" && scalar != "\\"
                ? String(scalar) : "\\u" + String(repeating: "0", count: 4 - hex(scalar).count) + hex(scalar)
        }
        return "\"\(parts.joined())\""
    }

    private static func hex(_ scalar: Unicode.Scalar) -> String { String(scalar.value, radix: 16) }

    /// Asks the API for something; expects that it refuses an attack which its field does not take.
    private func call(
        _ method: String, _ target: String, _ role: Role, _ storing: [StoredText],
        _ body: ([StoredText: String]) -> Any,
        more: [(String, String)] = []
    ) async throws -> [String: Any] {
        let token = try await console.token(role)
        func send(_ texts: [StoredText: String]) async throws -> Page {
            let made = body(texts)
            let data =
                try (made as? String).map { Data($0.utf8) } ?? JSONSerialization.data(withJSONObject: made)
            let query = texts[.message].map { "?message=\(ConsoleFixture.encoded($0))" } ?? ""
            let headers =
                [("Authorization", "Bearer \(token)")] + (more.isEmpty ? [("Content-Type", "application/json")] : more)
            return try await Browser.send(
                port: console.port, method, target + query, headers, bytes: method == "GET" ? nil : Array(data))
        }
        let plain = Dictionary(storing.map { ($0, text($0)) }) { first, _ in first }
        if isAttacked {
            for stored in storing where !stored.takes(stored.text(attack)) {
                let answer = try await send(plain.merging([stored: stored.text(attack)]) { $1 })
                #expect([400, 422].contains(answer.status), "\(stored.rawValue) takes \(attack.debugDescription)")
            }
        }
        let answer = try await send(plain)
        return try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any] ?? [:]
    }

    private mutating func fill() async throws {
        let yaml = [("Content-Type", "application/yaml"), ("If-Match", "\"0\"")]
        let applied = try await call(
            "PUT", "/v1/catalog", .marketing,
            [.message, .comment, .operand, .attributeOperand, .salt, .group, .product],
            { texts in catalog { texts[$0] ?? text($0) } }, more: yaml)
        try #require(applied["revision"] as? Int == 1, "\(applied)")

        for (id, storing) in [
            ("100", [.appleOffer, .currency, .storefront, .appTransaction, .customerId]), ("101", [.boughtProduct]),
        ] as [(String, [StoredText])] {
            let delivered = try await call("POST", "/v1/transactions", .client, storing) { texts in
                [
                    "customer": ["customerId": texts[.customerId] ?? text(.customerId)], "historyComplete": true,
                    "signedTransactions": [purchase(id, texts)],
                ] as [String: Any]
            }
            try #require(delivered["code"] == nil, "\(delivered)")
        }
        customer = text(.customerId)
        let attributes = try await call("PUT", "/v1/customers/attributes", .client, [.attribute]) { texts in
            [
                "customer": ["originalTransactionId": "100"], "attributes": ["plan": texts[.attribute] ?? ""],
            ] as [String: Any]
        }
        try #require(attributes["code"] == nil, "\(attributes)")
        let order = try await call("POST", "/v1/issued-offers", .client, [.signal]) { texts in
            [
                "offerId": "comeback", "customer": ["originalTransactionId": "100"],
                "signals": ["plan": texts[.signal] ?? ""],
            ] as [String: Any]
        }
        issued = try #require(order["issuedOfferId"] as? String, "\(order)")
        let refused = try await call("POST", "/v1/issued-offers", .client, [.signal]) { texts in
            [
                "offerId": "either", "customer": ["originalTransactionId": "100"],
                "signals": ["plan": texts[.signal] ?? ""],
            ] as [String: Any]
        }
        refusal = try #require(refused["decisionId"] as? String, "\(refused)")
        let voided = try await call("POST", "/v1/issued-offers/\(issued)/void", .support, [.voidReason]) { texts in
            ["reason": texts[.voidReason] ?? ""]
        }
        try #require(voided["code"] == nil, "\(voided)")
        let granted = try await call("POST", "/v1/grants", .support, [.grantReason]) { texts in
            [
                "customer": ["originalTransactionId": "100"], "offerId": "comeback",
                "reason": texts[.grantReason] ?? "",
            ] as [String: Any]
        }
        try #require(granted["grantId"] != nil, "\(granted)")
        let paused = try await call("POST", "/v1/offers/either/pause", .marketing, [.pauseReason]) { texts in
            ["reason": texts[.pauseReason] ?? ""]
        }
        try #require(paused["paused"] as? Bool == true, "\(paused)")
        let started = try await call("POST", "/v1/simulations", .marketing, []) { _ in ["offerId": "comeback"] }
        simulation = try #require(started["id"] as? String, "\(started)")
        while try await call("GET", "/v1/simulations/\(simulation)", .marketing, [], { _ in "" })["state"] as? String
            == "running"
        { await Task.yield() }
        try await keepNotification()
        for role in [Role.support, .marketing, .admin] {
            let token = try await console.useCases.apiKeys.create(
                scope: ConsoleFixture.scope, role: role, label: text(.label))
            sessions[role] = try await console.signIn(token.text, name: text(.person))
        }
    }

    private func keepNotification() async throws {
        let notification = AppStoreNotification(
            notificationType: NotificationType(rawValue: text(.notification)), notificationUUID: "n",
            signedDate: console.clock.now)
        let now = console.clock.now
        try await console.database.write { transaction in
            let scope = try #require(try ScopeStore(transaction).number(of: ConsoleFixture.scope))
            try NotificationStore(transaction).insert(
                StoredNotification(notification, source: .delivered, outcome: .noHistory, at: now), about: nil,
                payload: "a.b.c", in: scope)
        }
    }

    /// A month that was paid for long ago, of the catalog's product or of one that it does not have.
    private func purchase(_ id: String, _ texts: [StoredText: String]) -> String {
        let day = Int64(86_400_000)
        let now = console.clock.now.milliseconds
        let bought = now - (id == "100" ? 90 : 40) * day
        let payload: [String: Any] = [
            "transactionId": id, "originalTransactionId": id, "bundleId": "com.example.pro",
            "environment": "LocalTesting", "type": "Auto-Renewable Subscription",
            "productId": id == "100" ? text(.product) : texts[.boughtProduct] ?? text(.boughtProduct),
            "subscriptionGroupIdentifier": id == "100" ? text(.group) : "21500009",
            "appTransactionId": texts[.appTransaction] ?? text(.appTransaction),
            "storefront": texts[.storefront] ?? text(.storefront),
            "currency": texts[.currency] ?? text(.currency), "price": 9_990, "quantity": 1,
            "inAppOwnershipType": "PURCHASED",
            "offerType": 3, "offerIdentifier": texts[.appleOffer] ?? text(.appleOffer), "transactionReason": "PURCHASE",
            "purchaseDate": bought, "originalPurchaseDate": bought, "expiresDate": bought + 30 * day, "signedDate": now,
        ]
        let bytes = (try? JSONSerialization.data(withJSONObject: payload)).map { Array($0) } ?? []
        return (try? console.root.sign(payload: bytes)) ?? ""
    }
}
