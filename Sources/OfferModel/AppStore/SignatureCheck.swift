/// The values that an app passes to StoreKit to redeem an offer.
public enum ArtefactFormat: String, Sendable, Hashable, CaseIterable {
    /// The promotional offer's signed string.
    case v1
    /// The promotional offer's compact JWS.
    case v2
    /// The compact JWS that says whether the introductory offer may be used.
    case introductoryEligibility
}

/// The values that an app passed to StoreKit, as far as the caller knows: the request of `POST /v1/signature-checks`.
package struct PassedSignature: Sendable, Hashable {
    package var format: ArtefactFormat
    /// The product that the app bought.
    package var productId: ProductId?
    package var offerIdentifier: OfferIdentifier?
    package var keyId: KeyId?
    /// A UUID in any case: StoreKit takes a UUID, so its case does not matter here, unlike in the signed bytes.
    package var nonce: String?
    /// As passed, whatever its unit.
    package var timestamp: Int64?
    /// As passed; absent if the app passed none.
    package var appAccountToken: String?
    /// The V1 signature in Base64.
    package var signature: String?
    /// The compact JWS of the other formats.
    package var jws: String?

    package enum Member: String, CaseIterable, Sendable {
        case format, productId, offerIdentifier, keyId, nonce, timestamp, appAccountToken, signature, jws
    }

    package init(format: ArtefactFormat) {
        self.format = format
    }

    /// The members given that StoreKit does not take in this format.
    package var membersOfOtherFormats: [Member] {
        let given: [(Member, Bool)] =
            format == .v1
            ? [(.jws, jws != nil)]
            : [
                (.keyId, keyId != nil), (.nonce, nonce != nil), (.timestamp, timestamp != nil),
                (.appAccountToken, appAccountToken != nil), (.signature, signature != nil),
                (.offerIdentifier, format == .introductoryEligibility && offerIdentifier != nil),
            ]
        return given.filter(\.1).map(\.0)
    }
}

/// The answer to ``PassedSignature``: whether StoreKit can accept the signature, and if not, why.
package struct SignatureDiagnosis: Sendable, Hashable {
    package enum Verdict: String, Sendable, Hashable, CaseIterable {
        /// The signature is over what was passed, and nothing in it is wrong.
        case valid
        case invalid
        /// ``SignatureDiagnosis/missing`` is needed to decide, or the key.
        case unknown
    }

    /// Why StoreKit refuses a signature, or ignores the offer.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        case fieldOrder, nonceCase, tokenCase, tokenSignedNotPassed, tokenPassedNotSigned
        /// The wrong unit: V1 needs milliseconds, `iat` of a JWS seconds.
        case timestampInSeconds
        case separatorEscaped
        /// The wrong one of two forms: V1 needs DER, a JWS the 64 bytes R‖S.
        case rawSignature
        case doubleBase64
        /// The wrong one of two alphabets: V1 needs standard Base64 with padding, a JWS base64url without.
        case base64url
        case otherKey, otherBundle, otherProduct, otherOffer, expired, nonceUnknown, nonceReused, hasExpiration
        case otherAudience, otherIssuer, notEligible
    }

    package enum Certainty: String, Sendable, Hashable, CaseIterable {
        /// Proven: the signature verifies over the bytes with this fault, or the fault is visible in what was passed.
        case certain
        case likely
    }

    package struct Cause: Sendable, Hashable {
        package var code: Code
        package var message: String
        package var fix: String
        package var certainty: Certainty

        package init(_ code: Code, _ message: String, fix: String, _ certainty: Certainty) {
            self.code = code
            self.message = message
            self.fix = fix
            self.certainty = certainty
        }
    }

    package var verdict: Verdict
    /// The certain ones first.
    package var causes: [Cause]
    /// The members of the request, or of the JWS those it must have, that are absent.
    package var missing: [String]?

    package init(verdict: Verdict, causes: [Cause], missing: [String]? = nil) {
        self.verdict = verdict
        self.causes = causes
        self.missing = missing
    }
}
