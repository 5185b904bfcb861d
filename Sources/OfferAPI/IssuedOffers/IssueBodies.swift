public import OfferModel

/// `POST /v1/issued-offers`: what the app's backend asks for.
public struct IssueRequest: WireRequest {
    public var offerId: OfferId = ""
    /// The product; required if the offer has several.
    public var productId: ProductId?
    /// Empty if signed data alone names the customer.
    public var customer = CustomerIdentifiers()
    /// The encodings wanted, at least one; the first the offer lists if absent.
    public var formats: [SignatureFormat]?
    /// Whether to discard the stored signatures and sign again.
    public var fresh = false
    public var signals: [String: FactValue] = [:]
    public var device = DeviceRequest()
    public var delivery = SignedDelivery()

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.required("offerId", &offerId)
        members.optional("productId", &productId)
        members.defaulted("customer", &customer)
        members.optional("formats", &formats)
        members.defaulted("fresh", &fresh)
        members.defaulted("signals", &signals)
        members.signedData(&delivery)
        members.defaulted("historyComplete", &delivery.historyComplete)
        members.defaulted("request", &device)
    }
}

/// One issued offer, as issued and as read back.
public struct IssuedOfferView: WireObject {
    public var issuedOfferId: LowercaseUUID = .blank
    public var decisionId: LowercaseUUID = .blank
    public var offerId: OfferId = ""
    public var offerType: OfferType = .promotional
    public var delivery: Delivery = .signature
    /// Apple's name of the offer; absent for introductory ones.
    public var offerIdentifier: OfferIdentifier?
    public var productId: ProductId = ""
    public var bundleId: BundleId = ""
    public var environment: AppStoreEnvironment = .production
    /// The key that signed; absent where nothing is signed.
    public var keyId: KeyId?
    public var state: IssuedOfferState = .open
    public var issuedAt: Instant = .blank
    public var expiresAt: Instant = .blank
    /// The grant that it used; absent if it needed none.
    public var grantId: LowercaseUUID?
    public var catalogRevision = 0
    /// The signed data of the request that was not used; only in the answer to `POST /v1/issued-offers`.
    public var ignored: [IgnoredData]?
    /// The newest signing's artefacts.
    public var signatures = SignaturesBody()
    /// When it was voided; absent if it was not, and so are the other two.
    public var voidedAt: Instant?
    /// The reason given for that; absent once erased, and not shown to `client` keys.
    public var voidReason: String?
    /// Whether it stopped counting toward limits then.
    public var released: Bool?

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.required("bundleId", &bundleId)
        members.required("catalogRevision", &catalogRevision)
        members.required("decisionId", &decisionId)
        members.required("delivery", &delivery)
        members.required("environment", &environment)
        members.required("expiresAt", &expiresAt)
        members.optional("grantId", &grantId)
        members.optional("ignored", &ignored)
        members.required("issuedAt", &issuedAt)
        members.required("issuedOfferId", &issuedOfferId)
        members.optional("keyId", &keyId)
        members.required("offerId", &offerId)
        members.optional("offerIdentifier", &offerIdentifier)
        members.required("offerType", &offerType)
        members.required("productId", &productId)
        members.optional("released", &released)
        members.required("signatures", &signatures)
        members.required("state", &state)
        members.optional("voidReason", &voidReason)
        members.optional("voidedAt", &voidedAt)
    }
}

/// The artefacts of one signing, by the encoding StoreKit takes.
public struct SignaturesBody: WireObject {
    public var v1: SignatureV1Body?
    public var v2: SignatureV2Body?
    public var introductoryEligibility: IntroductoryEligibilityBody?

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("introductoryEligibility", &introductoryEligibility)
        members.optional("v1", &v1)
        members.optional("v2", &v2)
    }
}

/// What `SKPaymentDiscount` and `Product.SubscriptionOffer.Signature` take.
public struct SignatureV1Body: WireObject {
    public var keyId: KeyId = ""
    public var nonce: LowercaseUUID = .blank
    public var timestamp: Instant = .blank
    /// The DER signature in Base64; StoreKit 2 takes its decoded bytes.
    public var signature = ""
    /// The account token that was signed; empty if none was. The purchase must carry the same.
    public var appAccountToken = ""

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.required("appAccountToken", &appAccountToken)
        members.required("keyId", &keyId)
        members.required("nonce", &nonce)
        members.required("signature", &signature)
        members.required("timestamp", &timestamp)
    }
}

/// What `promotionalOffer(_:compactJWS:)` takes.
public struct SignatureV2Body: WireObject {
    public var jws = ""

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.required("jws", &jws)
    }
}

/// What `introductoryOfferEligibility(compactJWS:)` takes.
public struct IntroductoryEligibilityBody: WireObject {
    public var jws = ""
    /// What it says: `false` blocks the offer.
    public var allowIntroductoryOffer = false

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.required("allowIntroductoryOffer", &allowIntroductoryOffer)
        members.required("jws", &jws)
    }
}

/// `POST /v1/issued-offers/{id}/void`; the answer is the issued offer as it is then.
public struct VoidRequestBody: WireRequest {
    /// For the record: 1 to 255 characters.
    public var reason = ""
    /// Whether to free the place under its limits at once, although its signatures may still live at Apple.
    public var release: Bool?

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.required("reason", &reason)
        members.optional("release", &release)
    }
}

extension PassedSignature: WireRequest {
    package init() { self.init(format: .v1) }

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("format", &format)
        members.optional("productId", &productId)
        members.optional("offerIdentifier", &offerIdentifier)
        members.optional("keyId", &keyId)
        members.optional("nonce", &nonce)
        members.optional("timestamp", &timestamp)
        members.optional("appAccountToken", &appAccountToken)
        members.optional("signature", &signature)
        members.optional("jws", &jws)
    }
}

extension SignatureDiagnosis: WireObject {
    package init() { self.init(verdict: .unknown, causes: []) }

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("causes", &causes)
        members.optional("missing", &missing)
        members.required("verdict", &verdict)
    }
}

extension SignatureDiagnosis.Cause: WireObject {
    package init() { self.init(.fieldOrder, "", fix: "", .likely) }

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("certainty", &certainty)
        members.required("code", &code)
        members.required("fix", &fix)
        members.required("message", &message)
    }
}

extension SignatureDiagnosis.Verdict: WireWord {}
extension SignatureDiagnosis.Code: WireWord {}
extension SignatureDiagnosis.Certainty: WireWord {}
