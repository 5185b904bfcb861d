import Foundation
import OfferModel
import OfferSigning
import OfferTestSupport
import OpenSSLCrypto
import Testing

/// The values that an app passes, signed by hand with faults, and the judge's inputs.
///
/// The bytes are put together here again, from Apple's description and not by the code that is tested.
struct FaultySignature {
    /// Real keys, made once: 20 s of the tests would go into new ones.
    struct Keys {
        let own: OpenSSLSigningKey
        let retired: OpenSSLSigningKey

        init() throws {
            let directory = try TemporaryDirectory()
            own = try OpenSSLSigningKey.generate(toNewFile: directory.path("own.p8"), keyId: "2X9R4HXF34")
            retired = try OpenSSLSigningKey.generate(toNewFile: directory.path("retired.p8"), keyId: "RETIRED001")
        }
    }

    static let now = Instant(milliseconds: 1_796_090_000_123)
    static let token = "6dd1fe4b-5ad0-4a5b-8a8e-0123456789ab"
    static let nonce = "0f8fad5b-d9cb-469f-a165-70867728950e"
    static let bundles: [BundleId] = ["com.example.other", "com.example.third"]

    let keys: Keys
    var passed: PassedSignature
    /// The seven fields of V1.
    var fields: [String]
    var order = Array(0..<7)
    var separator = "\u{2063}"
    var header: [String: Any]
    var claims: [String: Any]
    var signer: OpenSSLSigningKey
    var isOtherForm = false
    var isOtherAlphabet = false
    var isEncodedTwice = false
    var record = SignatureJudge.NonceRecord.notLookedUp
    var ineligibility: String?

    init(_ format: ArtefactFormat, keys: Keys, token: String? = Self.token) {
        self.keys = keys
        signer = keys.own
        let timestamp = Self.now.milliseconds - 60_000
        fields = [
            "com.example.pro", "2X9R4HXF34", "monthly", "comeback50", token ?? "", Self.nonce, String(timestamp),
        ]
        header = ["alg": "ES256", "kid": "2X9R4HXF34", "typ": "JWT"]
        claims = [
            "aud": "promotional-offer", "bid": "com.example.pro", "iat": timestamp / 1_000,
            "iss": Sample.issuerId, "nonce": Self.nonce, "productId": "monthly", "transactionId": "2000000123456789",
        ]
        passed = PassedSignature(format: format)
        passed.productId = "monthly"
        switch format {
        case .v1:
            passed.offerIdentifier = "comeback50"
            (passed.keyId, passed.nonce, passed.timestamp) = ("2X9R4HXF34", Self.nonce, timestamp)
            passed.appAccountToken = token
        case .v2:
            passed.offerIdentifier = "comeback50"
            claims["offerIdentifier"] = "comeback50"
        case .introductoryEligibility:
            claims["aud"] = "introductory-offer-eligibility"
            claims["allowIntroductoryOffer"] = true
        }
    }

    /// The diagnosis of what the app passes.
    func diagnosis() throws -> SignatureDiagnosis {
        try judge.diagnose(try signed())
    }

    var judge: SignatureJudge {
        SignatureJudge(
            bundleId: "com.example.pro", issuerId: Sample.issuerId,
            keys: [SignatureJudge.KnownKey(keys.own), SignatureJudge.KnownKey(keys.retired)],
            otherBundles: Self.bundles, catalog: Self.catalog, record: record, ineligibility: ineligibility,
            now: Self.now)
    }

    func signed() throws -> PassedSignature {
        var passed = passed
        if passed.format == .v1 {
            passed.signature = try signatureText()
        } else {
            passed.jws = try jwsText()
        }
        return passed
    }

    private func signatureText() throws -> String {
        let message = Array(order.map { fields[$0] }.joined(separator: separator).utf8)
        while true {
            let bytes = try isOtherForm ? signer.rawSignature(of: message) : signer.derSignature(of: message)
            var text = Data(bytes).base64EncodedString()
            if isOtherAlphabet {
                // Some signatures are the same in both alphabets.
                guard text.contains("+") || text.contains("/") else { continue }
                text = text.urlSafe
            }
            return isEncodedTwice ? Data(text.utf8).base64EncodedString() : text
        }
    }

    private func jwsText() throws -> String {
        func encoded(_ data: Data) -> String {
            isOtherAlphabet ? data.base64EncodedString() : data.base64EncodedString().urlSafe
        }
        let parts = try [header, claims].map { try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys) }
        let input = parts.map(encoded).joined(separator: ".")
        let message = Array(input.utf8)
        while true {
            let bytes = try isOtherForm ? signer.derSignature(of: message) : signer.rawSignature(of: message)
            let text = "\(input).\(encoded(Data(bytes)))"
            guard !isOtherAlphabet || text.contains("+") || text.contains("/") || text.contains("=") else { continue }
            return isEncodedTwice ? Data(text.utf8).base64EncodedString() : text
        }
    }

    static let catalog: Catalog = {
        func offer(_ id: OfferId, _ type: OfferType, _ name: OfferIdentifier?) -> Offer {
            Offer(
                id: id, type: type, delivery: .signature, offerIdentifier: name, products: ["monthly", "yearly"],
                paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1, limits: [])
        }
        let products = ["monthly", "yearly", "weekly"].map {
            Product(
                productId: ProductId($0), level: 1, period: Period(months: 1),
                price: Money(milliunits: 9_990, currency: "USD"))
        }
        return Catalog(
            bundleId: "com.example.pro", subscriptionGroups: [SubscriptionGroup(id: "21500001", products: products)],
            offers: [
                offer("comeback", .promotional, "comeback50"), offer("either", .promotional, "either10"),
                offer("trial", .introductory, nil),
            ])
    }()
}

extension String {
    var urlSafe: String {
        replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

/// A fault with the diagnosis that it alone leads to.
struct SignatureFault: Sendable, CustomTestStringConvertible {
    let name: String
    let format: ArtefactFormat
    let code: SignatureDiagnosis.Code
    var certainty = SignatureDiagnosis.Certainty.certain
    var verdict = SignatureDiagnosis.Verdict.invalid
    /// Faults that touch the same thing, of which a signature can have one only.
    var exclusion = ""
    let make: @Sendable (inout FaultySignature) -> Void

    var testDescription: String { "\(format.rawValue): \(name)" }

    init(
        _ name: String, _ format: ArtefactFormat, _ code: SignatureDiagnosis.Code,
        _ certainty: SignatureDiagnosis.Certainty = .certain, _ verdict: SignatureDiagnosis.Verdict = .invalid,
        touches exclusion: String? = nil, make: @escaping @Sendable (inout FaultySignature) -> Void
    ) {
        (self.name, self.format, self.code) = (name, format, code)
        (self.certainty, self.verdict, self.make) = (certainty, verdict, make)
        self.exclusion = exclusion ?? code.rawValue
    }

    static let all = v1 + jws + introductory

    static let v1: [SignatureFault] = [
        SignatureFault("product and offer exchanged", .v1, .fieldOrder) { $0.order.swapAt(2, 3) },
        SignatureFault("timestamp first", .v1, .fieldOrder) { $0.order.insert($0.order.removeLast(), at: 0) },
        SignatureFault("nonce signed in upper case", .v1, .nonceCase) { $0.fields[5] = $0.fields[5].uppercased() },
        SignatureFault("token signed in upper case", .v1, .tokenCase, touches: "token") {
            $0.fields[4] = $0.fields[4].uppercased()
        },
        SignatureFault("token signed and not passed", .v1, .tokenSignedNotPassed, touches: "token") {
            $0.passed.appAccountToken = nil
            $0.record = .issued(
                signed: try? Sample.v1 { $0.appAccountToken = AppAccountToken(FaultySignature.token) },
                isRedeemed: false)
        },
        SignatureFault("another token signed than passed", .v1, .tokenSignedNotPassed, touches: "token") {
            $0.passed.appAccountToken = "00000000-5ad0-4a5b-8a8e-0123456789ab"
            $0.record = .issued(
                signed: try? Sample.v1 { $0.appAccountToken = AppAccountToken(FaultySignature.token) },
                isRedeemed: false)
        },
        SignatureFault("token passed and not signed", .v1, .tokenPassedNotSigned, touches: "token") {
            $0.fields[4] = ""
        },
        SignatureFault("the text undefined signed as token", .v1, .tokenPassedNotSigned, touches: "token") {
            $0.fields[4] = "undefined"
        },
        SignatureFault("seconds signed", .v1, .timestampInSeconds, touches: "time") {
            $0.fields[6] = String($0.fields[6].dropLast(3))
        },
        SignatureFault("seconds signed and passed", .v1, .timestampInSeconds, touches: "time") {
            $0.fields[6] = String($0.fields[6].dropLast(3))
            $0.passed.timestamp = Int64($0.fields[6])
        },
        SignatureFault("separator as an escape sequence", .v1, .separatorEscaped) { $0.separator = "\\u2063" },
        SignatureFault("separator read as Latin-1", .v1, .separatorEscaped) { $0.separator = "\u{E2}\u{81}\u{A3}" },
        SignatureFault("R‖S instead of DER", .v1, .rawSignature) { $0.isOtherForm = true },
        SignatureFault("Base64 of Base64", .v1, .doubleBase64) { $0.isEncodedTwice = true },
        SignatureFault("URL-safe alphabet", .v1, .base64url) { $0.isOtherAlphabet = true },
        SignatureFault("another private key under the key's id", .v1, .otherKey) { $0.signer = $0.keys.retired },
        SignatureFault("signed with and for another key than passed", .v1, .otherKey) {
            ($0.signer, $0.fields[1]) = ($0.keys.retired, "RETIRED001")
        },
        SignatureFault("another bundle id", .v1, .otherBundle) { $0.fields[0] = "com.example.other" },
        SignatureFault("another product", .v1, .otherProduct) { $0.fields[2] = "yearly" },
        SignatureFault("another offer", .v1, .otherOffer) { $0.fields[3] = "either10" },
        SignatureFault("the offer's id in the catalog", .v1, .otherOffer) { $0.fields[3] = "comeback" },
        SignatureFault("a day and an hour old", .v1, .expired, touches: "time") {
            let old = FaultySignature.now.milliseconds - 25 * 3_600_000
            ($0.passed.timestamp, $0.fields[6]) = (old, String(old))
        },
        SignatureFault("a nonce that offerd never issued", .v1, .nonceUnknown, .likely, .valid, touches: "token") {
            $0.record = .unknown
        },
        SignatureFault("a nonce whose offer is redeemed", .v1, .nonceReused, .likely, .valid, touches: "token") {
            $0.record = .issued(signed: nil, isRedeemed: true)
        },
        SignatureFault("a customer who never subscribed", .v1, .notEligible, .likely, .valid) {
            $0.ineligibility = "no subscription was ever bought"
        },
    ]

    static let jws: [SignatureFault] = [
        SignatureFault("an exp claim", .v2, .hasExpiration) { $0.claims["exp"] = 1_796_090_060 },
        SignatureFault("the audience of the App Store Server API", .v2, .otherAudience) {
            $0.claims["aud"] = "appstoreconnect-v1"
        },
        SignatureFault("another issuer", .v2, .otherIssuer) {
            $0.claims["iss"] = "00000000-96fe-1a63-e053-0824d011072a"
        },
        SignatureFault("another bundle id", .v2, .otherBundle) { $0.claims["bid"] = "com.example.unheard" },
        SignatureFault("another product", .v2, .otherProduct) { $0.claims["productId"] = "yearly" },
        SignatureFault("another offer", .v2, .otherOffer) { $0.claims["offerIdentifier"] = "either10" },
        SignatureFault("iat in milliseconds", .v2, .timestampInSeconds, touches: "time") {
            $0.claims["iat"] = FaultySignature.now.milliseconds
        },
        SignatureFault("a day and an hour old", .v2, .expired, .likely, .valid, touches: "time") {
            $0.claims["iat"] = FaultySignature.now.milliseconds / 1_000 - 25 * 3_600
        },
        SignatureFault("DER instead of R‖S", .v2, .rawSignature) { $0.isOtherForm = true },
        SignatureFault("standard Base64", .v2, .base64url) { $0.isOtherAlphabet = true },
        SignatureFault("Base64 of the whole JWS", .v2, .doubleBase64) { $0.isEncodedTwice = true },
        SignatureFault("another private key under the key's id", .v2, .otherKey) { $0.signer = $0.keys.retired },
        SignatureFault("a nonce that offerd never issued", .v2, .nonceUnknown, .likely, .valid) {
            $0.record = .unknown
        },
    ]

    static let introductory: [SignatureFault] = [
        SignatureFault("a JWS that withholds the offer", .introductoryEligibility, .notEligible, .certain, .valid) {
            $0.claims["allowIntroductoryOffer"] = false
        },
        SignatureFault("the audience of a promotional offer", .introductoryEligibility, .otherAudience) {
            $0.claims["aud"] = "promotional-offer"
        },
    ]
}
