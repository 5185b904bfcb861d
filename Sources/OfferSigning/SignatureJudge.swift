package import OfferModel

/// Names the cause of StoreKit's "invalid signature" (docs/signing.md#invalid-signatures).
///
/// A cause is certain only if the signature verifies over the bytes rebuilt with that fault, or if the fault is visible
/// in what was passed. Two faults at once are found if both are among those that are tried.
package struct SignatureJudge: Sendable {
    package struct KnownKey: Sendable {
        let key: any SigningKey
        /// Whether the App Store accepts the key for the app: not a key of another account, nor one for tests.
        let isAccepted: Bool

        package init(_ key: any SigningKey, isAccepted: Bool = true) {
            self.key = key
            self.isAccepted = isAccepted
        }
    }

    /// The ledger's entry for the nonce.
    package enum NonceRecord: Sendable {
        case notLookedUp
        case unknown
        /// - Parameter signed: what was signed, if it is a V1 signature.
        case issued(signed: PromotionalOfferV1?, isRedeemed: Bool)
    }

    var bundleId: BundleId
    /// `nil` if unknown, so that `iss` is not compared.
    var issuerId: String?
    /// The app's own first.
    var keys: [KnownKey]
    /// Other apps that a signer may have confused with this one.
    var otherBundles: [BundleId]
    /// The candidates for other products and offers; `nil` if unknown.
    var catalog: Catalog?
    var record: NonceRecord
    /// Why Apple's rules refuse the offer to the customer, as far as their history shows.
    var ineligibility: String?
    var now: Instant

    /// The longest JWS and the longest Base64 that are read, in bytes; real ones have less than 1,000.
    package static let longestText = 8_192
    /// The most keys that are tried; the bound on verifications counts each.
    static let maximumKeys = 16
    /// Later than any date in seconds, earlier than any plausible one in milliseconds (1973).
    private static let leastMilliseconds: Int64 = 100_000_000_000

    package init(
        bundleId: BundleId, issuerId: String?, keys: [KnownKey], otherBundles: [BundleId] = [],
        catalog: Catalog? = nil, record: NonceRecord = .notLookedUp, ineligibility: String? = nil, now: Instant
    ) {
        self.bundleId = bundleId
        self.issuerId = issuerId
        self.keys = Array(keys.prefix(Self.maximumKeys))
        self.otherBundles = otherBundles
        self.catalog = catalog
        self.record = record
        self.ineligibility = ineligibility
        self.now = now
    }

    /// The finding of the check of one format.
    struct Findings {
        let format: ArtefactFormat
        var causes: [SignatureDiagnosis.Cause] = []
        /// `nil` if what was passed does not suffice to tell.
        var isVerified: Bool?
        var missing: [String] = []

        func has(_ code: SignatureDiagnosis.Code) -> Bool { causes.contains { $0.code == code } }

        /// Adds a cause; of two with one code the first counts.
        mutating func add(
            _ code: SignatureDiagnosis.Code, _ message: String, _ certainty: SignatureDiagnosis.Certainty = .certain
        ) {
            if !has(code) { causes.append(format.cause(code, message, certainty)) }
        }
    }

    /// Judges what an app passed.
    ///
    /// - Throws: ``MalformedArtefact`` if the signature or the JWS cannot be read in any encoding.
    package func diagnose(_ passed: PassedSignature) throws(MalformedArtefact) -> SignatureDiagnosis {
        var findings = passed.format == .v1 ? try checkV1(passed) : try checkJWS(passed)
        switch record {
        case .unknown: findings.add(.nonceUnknown, "offerd signed nothing with this nonce", .likely)
        case .issued(_, isRedeemed: true):
            findings.add(.nonceReused, "the offer that this nonce was issued for is redeemed", .likely)
        case .issued, .notLookedUp: break
        }
        if let ineligibility { findings.add(.notEligible, ineligibility, .likely) }
        let causes =
            findings.causes.filter { $0.certainty == .certain } + findings.causes.filter { $0.certainty == .likely }
        // An offer that a customer may not have can have a flawless signature.
        let isFlawed = causes.contains { $0.certainty == .certain && $0.code != .notEligible }
        let verdict: SignatureDiagnosis.Verdict =
            isFlawed || findings.isVerified == false ? .invalid : findings.isVerified == nil ? .unknown : .valid
        return SignatureDiagnosis(
            verdict: verdict, causes: causes, missing: findings.missing.isEmpty ? nil : findings.missing)
    }

    /// Adds what a timestamp shows by itself.
    ///
    /// - Parameter isInSeconds: whether its right unit is the second.
    func checkAge(_ timestamp: Int64, isInSeconds: Bool, _ findings: inout Findings) {
        let looksLikeSeconds = timestamp < Self.leastMilliseconds
        if looksLikeSeconds != isInSeconds {
            let units = isInSeconds ? "milliseconds, and `iat` needs seconds" : "seconds, and V1 needs milliseconds"
            findings.add(.timestampInSeconds, "`\(timestamp)` is in \(units)")
        }
        let milliseconds = looksLikeSeconds ? timestamp.saturatingMultiplied(by: 1_000) : timestamp
        let signedAt = Instant(milliseconds: milliseconds)
        guard now.milliseconds(since: signedAt) > Offer.signatureLife else { return }
        let isV1 = findings.format == .v1
        findings.add(
            .expired, "signed at \(signedAt), and a signature is \(isV1 ? "" : "assumed to be ")valid for 24 hours",
            isV1 ? .certain : .likely)
    }

    /// Adds what the catalog says against a product and an offer.
    func checkCatalog(_ productId: ProductId?, _ offerIdentifier: OfferIdentifier?, _ findings: inout Findings) {
        guard let catalog, !catalog.offers.isEmpty else { return }
        if let productId, catalog.product(productId) == nil {
            findings.add(.otherProduct, "the catalog has no product `\(productId)`", .likely)
        }
        guard let offerIdentifier else { return }
        let named = catalog.offers.filter { $0.offerIdentifier == offerIdentifier }
        if named.isEmpty {
            findings.add(.otherOffer, "no offer of the catalog has the offerIdentifier `\(offerIdentifier)`", .likely)
        } else if let productId, !named.contains(where: { $0.products.contains(productId) }) {
            findings.add(
                .otherProduct, "offer `\(offerIdentifier)` of the catalog is not for product `\(productId)`", .likely)
        }
    }
}

/// A signature or a JWS that cannot be read in any encoding.
package struct MalformedArtefact: Error, Sendable, Hashable {
    /// The member of ``PassedSignature``.
    package var member: PassedSignature.Member
    package var detail: String
    package var hint: String
}

extension ArtefactFormat {
    /// A cause with what mends it in this format.
    func cause(
        _ code: SignatureDiagnosis.Code, _ message: String, _ certainty: SignatureDiagnosis.Certainty = .certain
    ) -> SignatureDiagnosis.Cause {
        SignatureDiagnosis.Cause(code, OneLine.of(message, atMost: 512), fix: fix(code), certainty)
    }

    private func fix(_ code: SignatureDiagnosis.Code) -> String {
        let isV1 = self == .v1
        return switch code {
        case .fieldOrder:
            "sign the fields in this order: bundle id, key id, product id, offer identifier, appAccountToken, nonce, timestamp"
        case .nonceCase: "convert the nonce to lower case before signing"
        case .tokenCase: "convert the appAccountToken to lower case before signing"
        case .tokenSignedNotPassed: "pass the signed appAccountToken to StoreKit, or sign an empty field"
        case .tokenPassedNotSigned: "sign the appAccountToken that the app passes, or pass none"
        case .timestampInSeconds:
            isV1
                ? "sign the timestamp in milliseconds and pass the same number to StoreKit"
                : "write `iat` in whole seconds"
        case .separatorEscaped: "separate the fields with the character U+2063 itself, in UTF-8 the bytes e2 81 a3"
        case .rawSignature:
            isV1
                ? "encode the signature as ASN.1 DER, not as R‖S (IEEE P1363)"
                : "encode the signature as the 64 bytes R‖S, not as ASN.1 DER"
        case .doubleBase64:
            isV1
                ? "encode the DER bytes in Base64 once; StoreKit 2 takes the decoded bytes"
                : "pass the compact JWS as it is, without encoding it again"
        case .base64url:
            isV1
                ? "use standard Base64, with `+`, `/` and padding"
                : "encode every part of the JWS in base64url, with `-`, `_` and no padding"
        case .otherKey: "sign with the private key of \(isV1 ? "the key id that the app passes" : "the header's `kid`")"
        case .otherBundle: "sign the bundle id of the app that makes the purchase"
        case .otherProduct: "sign the product that the app buys"
        case .otherOffer: "sign and pass the offer's identifier from App Store Connect"
        case .expired: "request a signature right before the purchase"
        case .nonceUnknown: "pass the nonce exactly as offerd returned it, with the signature of the same response"
        case .nonceReused: "request a new signature for every purchase attempt, with `\"fresh\": true`"
        case .hasExpiration: "remove `exp`: the App Store computes the end from `iat`"
        case .otherAudience: "set `aud` to `\(audience)`, or use the StoreKit option that the JWS was signed for"
        case .otherIssuer: "set `iss` to the issuer ID of the In-App Purchase key in App Store Connect"
        case .notEligible: "present the offer only to customers that `POST /v1/decisions` reports as eligible"
        }
    }

    var audience: String {
        self == .introductoryEligibility ? "introductory-offer-eligibility" : "promotional-offer"
    }
}
