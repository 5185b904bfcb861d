import Foundation
import LocalAppStore
import OfferApplication
import OfferModel
import OfferSigning
import OfferTestSupport

/// A service that an app without a backend asks directly: Anna, known to it, and Mallory, who has the same app and so
/// the same key.
struct AppWorld: Sendable {
    /// The signed data of one of them, each in quotes and separated by commas.
    struct Device: Sendable {
        let transactions: String
        let renewalInfo: String
        let appTransaction: String

        /// All of it as members of a request.
        var proof: String {
            #""signedTransactions":[\#(transactions)],"signedRenewalInfo":[\#(renewalInfo)],"signedAppTransaction":\#(appTransaction)"#
        }
    }

    static let annasToken = "0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"
    static let mallorysToken = "aaaaaaaa-4c5d-4e6f-8a9b-0c1d2e3f4a5b"

    static let catalog =
        TestCatalog.yaml.replacing("offers:\n", with: "appSignals: [sessions]\noffers:\n") + """
              - id: regular
                type: promotional
                offerIdentifier: regular10
                products: [monthly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                status: active
                eligibility: { all: [ { fact: signals.sessions, atLeast: 3 }, { fact: subscription.state, in: [expired] } ] }
                limits: []
                formats: [v2]
              - id: family
                type: promotional
                offerIdentifier: family50
                products: [monthly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                status: active
                eligibility: { fact: subscription.state, in: [expired] }
                limits: [ { count: 1, per: account } ]
                formats: [v2]
              - id: unbound
                type: promotional
                offerIdentifier: unbound50
                products: [monthly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                status: active
                eligibility: { fact: subscription.state, in: [expired] }
                limits: []
                formats: [v1]

            """
        + planned.map { id, terms in
            """
              - id: \(id)
                type: promotional
                offerIdentifier: \(id)50
                products: [monthly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                \(terms)
                limits: []

            """
        }.joined()

    /// Offers that no customer may have yet, with what keeps them back.
    static let planned = [
        ("drafted", "status: draft"), ("later", "status: active\n    starts: 2100-01-01T00:00:00Z"),
        ("elsewhere", "status: active\n    environments: [Sandbox]"),
    ]

    let service: ServiceFixture
    /// The publishable key.
    let app: String
    /// Transaction `100` of the Apple account `app-100`; the backend calls her `anna`.
    let anna: Device
    /// Transaction `200` of the Apple account `app-200`; never seen before.
    let mallory: Device
    /// Of another app, of Sandbox, and under a root that is not trusted.
    let otherApp: Device
    let sandbox: Device
    let forged: Device

    /// Runs a test in a new world.
    static func run(
        rates: RequestRates = RequestRates(.off), trustedProxies: [IPNetwork] = [],
        _ body: @escaping @Sendable (AppWorld) async throws -> Void
    ) async throws {
        try await ServiceFixture.run(rates: rates, trustedProxies: trustedProxies) {
            try await body(try await AppWorld($0))
        }
    }

    private init(_ service: ServiceFixture) async throws {
        self.service = service
        let applied = try await service.ask(
            "PUT", "/v1/catalog", token: try await service.token(.marketing), body: Self.catalog,
            headers: [("Content-Type", "application/yaml"), ("If-Match", "\"0\"")])
        guard applied.status == 200 else { throw RawHTTP.Broken(reason: applied.text) }
        app = try await service.token(.app)
        anna = try Self.device(service, "100", token: Self.annasToken)
        mallory = try Self.device(service, "200", token: Self.mallorysToken)
        otherApp = try Self.device(service, "200", token: nil, scope: ServiceFixture.otherApp)
        sandbox = try Self.device(service, "200", token: nil, scope: ServiceFixture.otherEnvironment)
        let stranger = try LocalRoot.make(now: ServiceFixture.start)
        forged = try Self.device(service, "200", token: nil, root: stranger)
        let known = try await service.ask(
            "POST", "/v1/transactions", token: try await service.token(.client),
            body: #"{\#(anna.proof),"historyComplete":true,"customer":{"customerId":"anna"}}"#)
        guard known.status == 200 else { throw RawHTTP.Broken(reason: known.text) }
    }

    /// The data on a customer's device, signed with an account token, or by another root.
    static func device(
        _ service: ServiceFixture, _ id: String, token: String?, scope: Scope = ServiceFixture.scope,
        root: LocalRoot? = nil
    ) throws -> Device {
        // The local App Store plays only two environments: data of the others is that of Sandbox under another name.
        let isPlayed = [.sandbox, .localTesting].contains(scope.environment)
        let signed = try service.lapsedCustomer(
            id, app: scope.bundleId, environment: isPlayed ? scope.environment : .sandbox)
        let root = root ?? service.root
        func list(_ jws: [String]) throws -> String {
            try jws.map { jws in
                let edited = try service.edited(jws) {
                    $0["appAccountToken"] = token
                    $0["environment"] = scope.environment.rawValue
                }
                return "\"\(try root.sign(payload: try CompactJWS(parsing: edited).payload))\""
            }.joined(separator: ",")
        }
        let appTransaction = """
            {"appTransactionId":"app-\(id)","bundleId":"\(scope.bundleId)",\
            "receiptCreationDate":\(service.clock.now.milliseconds),"receiptType":"\(scope.environment.rawValue)"}
            """
        return Device(
            transactions: try list(signed.signedTransactions), renewalInfo: try list(signed.signedRenewalInfo),
            appTransaction: "\"\(try root.sign(payload: Array(appTransaction.utf8)))\"")
    }

    /// Signs a transaction of Mallory's again, changed.
    func edited(_ change: (inout [String: Any]) -> Void) throws -> String {
        "\"\(try service.edited(try newest(mallory), change))\""
    }

    /// A signed app transaction of an Apple Account, or of one that it does not name.
    ///
    /// - Parameter more: further members, each followed by a comma.
    func appTransaction(
        of account: String?, bundleId: BundleId = ServiceFixture.scope.bundleId, environment: String = "LocalTesting",
        at date: Instant? = nil, signedBy root: LocalRoot? = nil, more: String = ""
    ) throws -> String {
        let name = account.map { #""appTransactionId":"\#($0)","# } ?? ""
        let payload = """
            {\(name)\(more)"bundleId":"\(bundleId)","receiptCreationDate":\((date ?? service.clock.now).milliseconds),\
            "receiptType":"\(environment)"}
            """
        return try (root ?? service.root).sign(payload: Array(payload.utf8))
    }

    /// The newest transaction of a device, without quotes.
    func newest(_ device: Device) throws -> String {
        guard let last = device.transactions.split(separator: ",").last else { throw RawHTTP.Broken(reason: "none") }
        return String(last.dropFirst().dropLast())
    }

    /// Asks with the publishable key, or another one.
    func ask(
        _ path: String, _ members: String, token: String? = nil, headers: [(String, String)] = []
    ) async throws -> RawAnswer {
        try await service.ask(
            "POST", path, token: token ?? app, body: "{\(members)}",
            headers: headers.isEmpty ? [] : headers + [("Content-Type", "application/json")])
    }

    /// The content of a V2 signature of an answer.
    static func claims(_ answer: RawAnswer) throws -> [String: Any] {
        let signatures = answer.json["signatures"] as? [String: Any]
        guard let v2 = signatures?["v2"] as? [String: Any], let jws = v2["jws"] as? String else {
            throw RawHTTP.Broken(reason: answer.text)
        }
        let object = try JSONSerialization.jsonObject(with: Data(try CompactJWS(parsing: jws).payload))
        return object as? [String: Any] ?? [:]
    }
}
