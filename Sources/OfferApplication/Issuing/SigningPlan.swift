import OfferAPI
import OfferModel
import OfferSigning
import OfferStore

/// The plan of a signing: two requests with the same plan can be given the same stored signatures
/// (docs/design.md#issued-offers-and-limits).
struct SigningPlan: Sendable, Equatable {
    var productId: ProductId
    var formats: [ArtefactFormat]
    /// The account that V1 signs; the empty string if absent.
    var appAccountToken: AppAccountToken?
    /// The customer's transaction that the JWS forms name.
    var transactionId: TransactionReference?
    /// Whether there is anything to sign; not where the App Store delivers the offer.
    var isSigned: Bool { !formats.isEmpty }

    /// - Parameter allowed: the encodings that are signed in the environment; an offer with none of them is refused by
    ///   the rules.
    /// - Throws: `invalidRequest` if a format is asked for that the offer is not delivered in, or that is not signed in
    ///   the environment.
    init(
        _ offer: Offer, productId: ProductId, request: IssueRequest, formats allowed: Set<SignatureFormat>,
        history: History
    ) throws {
        self.productId = productId
        appAccountToken = request.customer.appAccountToken
        transactionId = Self.transaction(request.customer, history)
        let asked = request.formats ?? []
        switch offer.delivery {
        case .signature:
            for (index, format) in asked.enumerated() where !offer.formats.contains(format) {
                throw RequestError.invalidRequest(
                    pointer: "/formats/\(index)",
                    detail: "offer `\(offer.id)` is not delivered as `\(format.rawValue)`",
                    hint: "it is delivered as \(offer.formats.map { "`\($0.rawValue)`" }.joined(separator: ", "))")
            }
            for (index, format) in asked.enumerated() where !allowed.contains(format) {
                throw RequestError.invalidRequest(
                    pointer: "/formats/\(index)",
                    detail:
                        "`\(format.rawValue)` is not signed in Sandbox: such a signature can be redeemed in Production",
                    hint: "ask for `v2`, or set `sandbox: { v1: true }` for the app in keys.yaml")
            }
            let wanted =
                asked.isEmpty ? Array(offer.formats.filter(allowed.contains).prefix(1)) : asked
            formats = SignatureFormat.allCases.filter(wanted.contains).map { $0 == .v1 ? .v1 : .v2 }
        case .introductoryEligibility, .appStore:
            guard asked.isEmpty else {
                throw RequestError.invalidRequest(
                    pointer: "/formats", detail: "offer `\(offer.id)` has no formats to choose from",
                    hint: "leave `formats` out")
            }
            formats = offer.delivery == .appStore ? [] : [.introductoryEligibility]
        }
    }

    /// A transaction of the subject that Apple signed: the one the request states, else the newest subscription, else
    /// the Apple Account in this app (docs/design.md#identity).
    static func transaction(_ stated: CustomerIdentifiers, _ history: History) -> TransactionReference? {
        // The rows and not their payloads: there may be a thousand, and a payload has dozens of members.
        let rows = history.transactions.lazy.filter { $0.provenance.isProven }
        let accounts = history.appTransactions.filter(\.provenance.isProven).compactMap(\.payload.appTransactionId)
        if let id = stated.originalTransactionId, rows.contains(where: { $0.payload.originalTransactionId == id }) {
            return .transaction(id)
        }
        if let id = stated.appTransactionId,
            accounts.contains(id) || rows.contains(where: { $0.payload.appTransactionId == id })
        {
            return .appTransaction(id)
        }
        let newest = rows.max {
            let (first, second) = ($0.payload.purchaseDate, $1.payload.purchaseDate)
            return first != second ? first < second : $0.payload.transactionId < $1.payload.transactionId
        }
        if let newest { return .transaction(newest.payload.originalTransactionId) }
        return accounts.min().map { .appTransaction($0) }
    }

    /// Whether these signatures of one signing were made for the same plan.
    ///
    /// Account and transaction are compared whatever the format, also where it does not sign them: a request for
    /// another account is another user of the app, who gets separate signatures
    /// (docs/design.md#issued-offers-and-limits).
    func matches(_ signatures: [RecordedSignature]) -> Bool {
        Set(signatures.map(\.format)) == Set(formats)
            && signatures.allSatisfy { signature in
                signature.productId == productId && signature.appAccountToken == appAccountToken
                    && signature.transactionId == transactionId?.rawValue
            }
    }
}

/// Makes the artefacts of one signing: one timestamp, and a nonce each (docs/design.md#issuing step 4).
struct ArtefactSigner: Sendable {
    private let registry: AppRegistry
    let app: RegisteredApp
    private let scope: Scope
    let key: any SigningKey
    let random: any RandomSource

    /// - Throws: ``UnsignableOffer`` if the app has none there.
    init(registry: AppRegistry, app: RegisteredApp, scope: Scope, random: any RandomSource) throws {
        guard let key = app.signingKeys[scope.environment] else { throw UnsignableOffer(detail: "no signing key") }
        self.registry = registry
        self.app = app
        self.scope = scope
        self.key = key
        self.random = random
    }

    /// - Throws: when the key failed its self-test, libcrypto fails, the generator has no entropy, or a field cannot be
    ///   signed.
    func sign(
        _ plan: SigningPlan, offer: Offer, timestamp: Instant, allowIntroductoryOffer: Bool = true
    ) throws -> [RecordedSignature] {
        try registry.requireWorkingKeys(for: scope)
        do {
            return try plan.formats.map { format in
                let nonce = try random.orderedUUID(at: timestamp)
                return RecordedSignature(
                    nonce: nonce, format: format,
                    allowIntroductoryOffer: format == .introductoryEligibility ? allowIntroductoryOffer : nil,
                    keyId: key.keyId, timestamp: timestamp, productId: plan.productId,
                    appAccountToken: plan.appAccountToken, transactionId: plan.transactionId?.rawValue,
                    artefact: try artefact(
                        format, plan, offer: offer, nonce: nonce, timestamp: timestamp, allow: allowIntroductoryOffer))
            }
        } catch {
            try registry.testKeyAgain(for: scope)
            throw error
        }
    }

    private func artefact(
        _ format: ArtefactFormat, _ plan: SigningPlan, offer: Offer, nonce: LowercaseUUID,
        timestamp: Instant, allow: Bool
    ) throws -> String {
        switch format {
        case .v1:
            try PromotionalOfferV1(
                bundleId: app.bundleId, productId: plan.productId, offerIdentifier: try identifier(of: offer),
                appAccountToken: plan.appAccountToken, nonce: nonce, timestamp: timestamp
            ).signed(by: key)
        case .v2:
            try request(
                .promotional(try identifier(of: offer), customer: try reference(of: plan)), plan, nonce, timestamp)
        case .introductoryEligibility:
            try request(
                .introductory(isAllowed: allow, customer: try reference(of: plan)), plan, nonce, timestamp)
        }
    }

    private func request(
        _ offer: StoreKitRequest.Offer, _ plan: SigningPlan, _ nonce: LowercaseUUID, _ timestamp: Instant
    ) throws -> String {
        try StoreKitRequest(
            issuerId: app.issuerId, bundleId: app.bundleId, productId: plan.productId, offer: offer, nonce: nonce,
            timestamp: timestamp
        ).signed(by: key)
    }

    private func identifier(of offer: Offer) throws -> OfferIdentifier {
        guard let identifier = offer.offerIdentifier else { throw UnsignableOffer(detail: "no offerIdentifier") }
        return identifier
    }

    private func reference(of plan: SigningPlan) throws -> TransactionReference {
        guard let reference = plan.transactionId else { throw UnsignableOffer(detail: "no known transaction") }
        return reference
    }
}

/// A decision let something through that cannot be signed: a defect, never a caller's mistake.
struct UnsignableOffer: Error {
    var detail: String
}
