import OfferModel
import OfferSigning
import OfferStore

/// Makes the artefacts of one signing: one timestamp, and a nonce each (docs/design.md#issued-offers-and-limits).
struct ArtefactSigner: Sendable {
    let app: RegisteredApp
    let key: any SigningKey
    let random: any RandomSource

    /// A signer with the key of an environment.
    ///
    /// - Throws: ``UnsignableOffer`` if the app has none there.
    init(app: RegisteredApp, environment: AppStoreEnvironment, random: any RandomSource) throws {
        guard let key = app.signingKeys[environment] else { throw UnsignableOffer(detail: "no signing key") }
        self.app = app
        self.key = key
        self.random = random
    }

    /// Signs what a plan holds.
    ///
    /// - Parameter allowIntroductoryOffer: what an eligibility statement says.
    /// - Throws: when libcrypto fails, the generator has no entropy, or a field cannot be signed.
    func sign(
        _ plan: SigningPlan, offer: Offer, timestamp: Instant, allowIntroductoryOffer: Bool = true
    ) throws -> [RecordedSignature] {
        try plan.formats.map { format in
            let nonce = try random.orderedUUID(at: timestamp)
            return RecordedSignature(
                nonce: nonce, format: format,
                allowIntroductoryOffer: format == .introductoryEligibility ? allowIntroductoryOffer : nil,
                keyId: key.keyId, timestamp: timestamp, productId: plan.productId,
                appAccountToken: plan.appAccountToken, transactionId: plan.transactionId?.rawValue,
                artefact: try artefact(
                    format, plan, offer: offer, nonce: nonce, timestamp: timestamp, allow: allowIntroductoryOffer))
        }
    }

    private func artefact(
        _ format: RecordedSignature.Format, _ plan: SigningPlan, offer: Offer, nonce: LowercaseUUID,
        timestamp: Instant, allow: Bool
    ) throws -> String {
        switch format {
        case .v1:
            try PromotionalOfferV1(
                bundleId: app.bundleId, productId: plan.productId, offerIdentifier: try identifier(of: offer),
                appAccountToken: plan.appAccountToken, nonce: nonce, timestamp: timestamp
            ).signed(by: key).signature
        case .v2:
            try PromotionalOfferV2(
                issuerId: app.issuerId, bundleId: app.bundleId, productId: plan.productId,
                offerIdentifier: try identifier(of: offer), transactionId: try reference(of: plan), nonce: nonce,
                timestamp: timestamp
            ).signed(by: key).jws
        case .introductoryEligibility:
            try IntroductoryOfferEligibility(
                issuerId: app.issuerId, bundleId: app.bundleId, productId: plan.productId,
                allowIntroductoryOffer: allow, transactionId: try reference(of: plan), nonce: nonce,
                timestamp: timestamp
            ).signed(by: key).jws
        }
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
