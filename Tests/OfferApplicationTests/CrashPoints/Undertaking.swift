import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

/// Something the service does that writes, and what must be there before.
enum Undertaking: String, CaseIterable, Sendable {
    case issue
    case issueUnderKey
    case issueWithSignedData
    case signAgain
    case issueTheNext
    case blockIntroductory
    case ingest
    case merge
    case void
    case applyCatalog
    case pause
    case attributes

    /// Makes the world in which it happens.
    func prepare(_ bench: Workbench) async throws {
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        try await bench.deliver(try bench.shop.delivery(.trialUsed, "200"))
        switch self {
        case .issueUnderKey: try await Self.keepKey(bench)
        case .signAgain, .void: _ = try await bench.granted(Self.order)
        case .issueTheNext:
            _ = try await bench.granted(Self.order)
            bench.clock.advance(hours: 26)
        case .merge:
            try await bench.deliver(try Self.stranger(bench))
            for customer in ["100", "300"] {
                _ = try await bench.granted(IssueRequest(offerId: "comeback", customer: named(customer)))
            }
        default: break
        }
    }

    /// Does it, and gives every artefact that leaves the process.
    func begin(_ useCases: UseCases, _ bench: Workbench) async throws -> [String] {
        switch self {
        case .issue, .issueTheNext: return try await issue(Self.order, useCases).artefacts
        case .signAgain:
            var order = Self.order
            order.fresh = true
            return try await issue(order, useCases).artefacts
        case .issueUnderKey: return try await issueUnderKey(useCases)
        case .issueWithSignedData:
            return try await issue(.of("comeback", try bench.shop.delivery(.lapsed, "900")), useCases).artefacts
        case .blockIntroductory:
            return try await issue(IssueRequest(offerId: "welcome", customer: named("200")), useCases).artefacts
        case .ingest: try await deliver(try bench.shop.delivery(.subscriber, "900"), useCases)
        case .merge: try await deliver(try Self.proof(bench), useCases)
        case .void:
            let id = try #require(bench.firstIssuedOffer)
            _ = try await useCases.voiding.void(id, reason: "a test", release: true, caller: Workbench.caller(.support))
        case .applyCatalog:
            _ = try await useCases.catalogs.apply(
                TestCatalog.head + TestCatalog.comeback(), format: .yaml, expectedRevision: 1, message: "less",
                dryRun: false, caller: Workbench.marketing)
        case .pause: _ = try await useCases.switches.set("comeback", paused: true, caller: Workbench.marketing)
        case .attributes:
            _ = try await useCases.changes.replace(
                ["seats": .number(12), "beta": .boolean(true)], of: named("100"), caller: Workbench.client)
        }
        return []
    }

    /// Whether it is an offer that a customer gets.
    var isIssue: Bool {
        switch self {
        case .issue, .issueUnderKey, .issueWithSignedData, .signAgain, .issueTheNext: true
        default: false
        }
    }

    private static let order = IssueRequest(offerId: "comeback", customer: named("100"), formats: [.v1, .v2])

    /// Answers are kept under a key that is stored.
    private static func keepKey(_ bench: Workbench) async throws {
        let key = StoredAPIKey(
            id: Workbench.client.apiKeyId, scope: Workbench.scope, role: .client,
            secretDigest: [UInt8](repeating: 7, count: 32), createdAt: Workbench.start)
        try await bench.write { transaction, _ in try APIKeyStore(transaction).insert(key) }
    }

    private func issue(_ order: IssueRequest, _ useCases: UseCases) async throws -> IssueAnswer {
        try await useCases.issuing.issue(order, caller: Workbench.client)
    }

    private func issueUnderKey(_ useCases: UseCases) async throws -> [String] {
        let request = IdempotentRequest(key: "once", route: "POST /v1/issued-offers", body: [1])
        let answer = try await useCases.issuing.issue(Self.order, caller: Workbench.client, as: request) { answer in
            WrittenAnswer(
                status: 201, contentType: "text/plain", body: Array(answer.artefacts.joined(separator: "\n").utf8))
        }
        return String(decoding: answer.body, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func deliver(_ delivery: SignedDelivery, _ useCases: UseCases) async throws {
        _ = try await useCases.ingestion.ingest(
            delivery, aliases: CustomerIdentifiers(customerId: "somebody"), caller: Workbench.client)
    }

    /// Somebody whose signed data names no Apple Account.
    private static func stranger(_ bench: Workbench) throws -> SignedDelivery {
        let made = try bench.shop.delivery(.lapsed, "300")
        func nameless(_ jws: String) throws -> String {
            try bench.shop.edited(jws) { $0["appTransactionId"] = nil }
        }
        return SignedDelivery(
            signedTransactions: try made.signedTransactions.map(nameless),
            signedRenewalInfo: try made.signedRenewalInfo.map(nameless), historyComplete: true)
    }

    /// A transaction of the stranger that names the Apple Account of the customer `100`.
    private static func proof(_ bench: Workbench) throws -> SignedDelivery {
        let transactions = try bench.shop.delivery(.lapsed, "300").signedTransactions
        return SignedDelivery(
            signedTransactions: try transactions.map { jws in
                try bench.shop.edited(jws) { $0["appTransactionId"] = "app-100" }
            })
    }
}
