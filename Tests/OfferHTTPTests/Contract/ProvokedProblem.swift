import Foundation
import LocalAppStore
import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

/// One way to be refused, over a real socket.
struct ProvokedProblem: Sendable, CustomTestStringConvertible {
    let code: ProblemCode
    /// Brings the refusal about, on a service of its own.
    let provoke: @Sendable (ServiceFixture) async throws -> RawAnswer

    var testDescription: String { code.rawValue }

    private init(_ code: ProblemCode, _ provoke: @escaping @Sendable (ServiceFixture) async throws -> RawAnswer) {
        self.code = code
        self.provoke = provoke
    }

    /// At least one for every code.
    static let all = requests + customers + catalogs + machines + beginnings + grants

    private static let unknownId = "00000000-0000-4000-8000-000000000000"

    /// Faults of the request itself.
    private static let requests = [
        ProvokedProblem(.invalidRequest) { service in
            try await service.ask("POST", "/v1/decisions", token: try await service.token(.client), body: "{}")
        },
        ProvokedProblem(.unauthenticated) { try await $0.ask("GET", "/v1/offers") },
        ProvokedProblem(.forbidden) { service in
            try await service.ask("GET", "/v1/offers", token: try await service.token(.client))
        },
        ProvokedProblem(.addressNotAllowed) { service in
            let token = try await service.token(.client, networks: [try IPNetwork("192.0.2.0/24")])
            return try await service.ask("POST", "/v1/decisions", token: token, body: "{}")
        },
        ProvokedProblem(.notFound) { try await $0.ask("GET", "/v1/nothing") },
        ProvokedProblem(.methodNotAllowed) { try await $0.ask("DELETE", "/v1/catalog") },
        ProvokedProblem(.tooLarge) { service in
            try await service.ask(
                "POST", "/v1/decisions", token: try await service.token(.client),
                body: String(repeating: " ", count: 256 * 1_024 + 1))
        },
        ProvokedProblem(.unsupportedMediaType) { service in
            try await service.ask(
                "POST", "/v1/decisions", token: try await service.token(.client), body: "{}",
                headers: [("Content-Type", "text/plain")])
        },
    ]

    /// Faults of the customer or object that the request is about.
    private static let customers = [
        ProvokedProblem(.productRequired) { service in
            try await service.applyCatalog()
            return try await issue("either", on: service)
        },
        ProvokedProblem(.notEligible) { service in
            try await service.applyCatalog()
            return try await issue("trial", on: service)
        },
        ProvokedProblem(.undetermined) { service in
            try await service.applyCatalog()
            return try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.client),
                body: #"{"offerId":"comeback","customer":{"customerId":"nobody"}}"#)
        },
        ProvokedProblem(.unknownOffer) { service in
            _ = try await service.useCases.catalogs.apply(
                TestCatalog.yaml, format: .yaml, expectedRevision: 0, message: nil, dryRun: false,
                caller: Caller(apiKeyId: "k", scope: ServiceFixture.scope, role: .marketing))
            return try await issue("nothing", on: service)
        },
        ProvokedProblem(.unknownCustomer) { service in
            try await service.ask(
                "GET", "/v1/customers?customerId=nobody", token: try await service.token(.support))
        },
        ProvokedProblem(.unknownIssuedOffer) { service in
            try await service.ask("GET", "/v1/issued-offers/\(unknownId)", token: try await service.token(.support))
        },
        ProvokedProblem(.unknownDecision) { service in
            try await service.ask("GET", "/v1/decisions/\(unknownId)", token: try await service.token(.support))
        },
        ProvokedProblem(.unprovenCustomer) { service in
            try await service.ask(
                "POST", "/v1/decisions", token: try await service.token(.app),
                body: #"{"customer":{"originalTransactionId":"100"}}"#)
        },
        ProvokedProblem(.customerTokenRefused) { service in
            service.useCases.customerTokens.replace(with: [
                CustomerTokens.Provider(issuer: "i", audience: "a", keys: .known([:]))
            ])
            return try await service.ask(
                "POST", "/v1/decisions", token: try await service.token(.app), body: "{}",
                headers: [("Customer-Token", "a.b.c"), ("Content-Type", "application/json")])
        },
        ProvokedProblem(.unknownEvent) { service in
            try await service.ask("GET", "/v1/events/\(unknownId)", token: try await service.token(.support))
        },
        ProvokedProblem(.noWebhook) { service in
            _ = try await service.ask(
                "POST", "/v1/app-store/com.example.pro/LocalTesting/notifications",
                body: #"{"signedPayload":"\#(try service.testNotification())"}"#)
            let id = try await service.eventId(.notificationReceived)
            return try await service.ask(
                "POST", "/v1/events/\(id)/resend", token: try await service.token(.support))
        },
        ProvokedProblem(.ambiguousCustomer) { service in
            try await service.applyCatalog()
            // Both go by the alias `somebody`, and they are two Apple accounts.
            for id in ["100", "200"] { _ = try await issue("comeback", on: service, to: id) }
            return try await service.ask(
                "GET", "/v1/customers?customerId=somebody", token: try await service.token(.support))
        },
        ProvokedProblem(.provenAlias) { service in
            let token = "0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"
            let signed = try service.lapsedCustomer("100").signedTransactions.map { jws in
                "\"\(try service.edited(jws) { $0["appAccountToken"] = token })\""
            }
            _ = try await service.ask(
                "POST", "/v1/transactions", token: try await service.token(.client),
                body: #"{"signedTransactions":[\#(signed.joined(separator: ","))]}"#)
            return try await service.ask(
                "POST", "/v1/customers/unlink", token: try await service.token(.support),
                body: """
                    {"customer":{"originalTransactionId":"100"},"aliases":{"appAccountToken":"\(token)"},"reason":"x"}
                    """)
        },
        ProvokedProblem(.rateLimited) { service in
            let client = try await service.token(.client)
            func ask() async throws -> RawAnswer {
                try await service.ask(
                    "POST", "/v1/decisions", token: client, body: #"{"customer":{"customerId":"busy"}}"#)
            }
            for _ in 0..<5 { _ = try await ask() }
            return try await ask()
        },
        ProvokedProblem(.idempotencyConflict) { service in
            try await service.applyCatalog()
            let client = try await service.token(.client)
            func ask(_ more: String) async throws -> RawAnswer {
                try await service.ask(
                    "POST", "/v1/issued-offers", token: client,
                    body: service.issueBody("comeback", try service.lapsedCustomer("100"), more: more),
                    headers: [("Idempotency-Key", "a"), ("Content-Type", "application/json")])
            }
            _ = try await ask("")
            return try await ask(#","fresh":true"#)
        },
        ProvokedProblem(.signedDataRefused) { service in
            try await service.ask(
                "POST", "/v1/transactions", token: try await service.token(.client),
                body: #"{"signedTransactions":["a.b.c"]}"#)
        },
    ]

    /// Faults of a catalog or its revision.
    private static let catalogs = [
        ProvokedProblem(.catalogChanged) { service in
            try await service.applyCatalog()
            return try await put("# another\n" + TestCatalog.yaml, on: service, revision: "\"0\"")
        },
        ProvokedProblem(.invalidCatalog) { try await put("bundleId: x", on: $0, revision: "\"0\"") },
        ProvokedProblem(.ifMatchRequired) { try await put(TestCatalog.yaml, on: $0, revision: nil) },
        ProvokedProblem(.unknownRevision) { service in
            try await service.ask(
                "GET", "/v1/catalog/revisions/1", token: try await service.token(.marketing))
        },
    ]

    /// Faults of the machine or its configuration.
    private static let machines = [
        ProvokedProblem(.internal) { service in
            try await service.applyCatalog()
            let issued = try await issue("comeback", on: service)
            let id = try #require(issued.json["issuedOfferId"] as? String, "\(issued.text)")
            try service.sql("UPDATE issued_offer SET decision_id = printf('%036d', 7)")
            return try await service.ask(
                "GET", "/v1/issued-offers/\(id)", token: try await service.token(.support))
        },
        ProvokedProblem(.busy) { service in
            let token = try await service.token(.marketing)
            return try await service.whileLocked {
                try await service.ask("POST", "/v1/offers/pause", token: token)
            }
        },
        ProvokedProblem(.clockBehind) { service in
            try await service.applyCatalog()
            service.clock.advance(milliseconds: -60_001)
            return try await issue("comeback", on: service)
        },
        ProvokedProblem(.notReady) { service in
            let stranger = Scope(bundleId: "com.example.stranger", environment: .production)
            return try await service.ask(
                "POST", "/v1/decisions", token: try await service.token(.client, scope: stranger),
                body: #"{"customer":{"customerId":"c"}}"#)
        },
    ]

    /// What is not there yet.
    private static let beginnings = [
        ProvokedProblem(.noCatalog) { try await issue("comeback", on: $0) }
    ]

    /// Faults of a grant of support.
    private static let grants = [
        ProvokedProblem(.unknownGrant) { service in
            try await service.ask("DELETE", "/v1/grants/\(unknownId)", token: try await service.token(.support))
        },
        ProvokedProblem(.grantExists) { service in
            try await service.applyCatalog()
            _ = try await issue("comeback", on: service)
            let support = try await service.token(.support)
            _ = try await grant(on: service, support)
            return try await grant(on: service, support)
        },
        ProvokedProblem(.grantUsed) { service in
            try await service.applyCatalog()
            let support = try await service.token(.support)
            // A voided issued offer counts on, so the next one needs the grant.
            let first = try await issue("comeback", on: service)
            let id = try #require(first.json["issuedOfferId"] as? String, "\(first.text)")
            _ = try await service.ask(
                "POST", "/v1/issued-offers/\(id)/void", token: support, body: #"{"reason":"x"}"#)
            let grant = try await grant(on: service, support)
            _ = try await issue("comeback", on: service)
            let grantId = try #require(grant.json["grantId"] as? String, "\(grant.text)")
            return try await service.ask("DELETE", "/v1/grants/\(grantId)", token: support)
        },
        ProvokedProblem(.grantLimitReached) { service in
            try await service.applyCatalog()
            _ = try await issue("comeback", on: service)
            let support = try await service.token(.support)
            for _ in 0..<GrantTerms.standard.perKeyAndDay {
                let made = try await grant(on: service, support)
                let id = try #require(made.json["grantId"] as? String, "\(made.text)")
                _ = try await service.ask("DELETE", "/v1/grants/\(id)", token: support)
            }
            return try await grant(on: service, support)
        },
    ]

    private static func grant(on service: ServiceFixture, _ token: String) async throws -> RawAnswer {
        try await service.ask(
            "POST", "/v1/grants", token: token,
            body: #"{"customer":{"originalTransactionId":"100"},"offerId":"comeback","reason":"x"}"#)
    }

    private static func issue(
        _ offer: String, on service: ServiceFixture, to id: String = "100"
    ) async throws -> RawAnswer {
        try await service.ask(
            "POST", "/v1/issued-offers", token: try await service.token(.client),
            body: service.issueBody(offer, try service.lapsedCustomer(id)))
    }

    private static func put(_ text: String, on service: ServiceFixture, revision: String?) async throws -> RawAnswer {
        try await service.ask(
            "PUT", "/v1/catalog", token: try await service.token(.marketing), body: text,
            headers: [("Content-Type", "application/yaml")] + (revision.map { [("If-Match", $0)] } ?? []))
    }
}
