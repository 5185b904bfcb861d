import AppStoreData
import Foundation
import LocalAppStore
import OfferModel
import OfferSigning
import OpenSSLCrypto
import Testing

/// What clients send where a JWS belongs, as their libraries' users report it: each is named, with what to send instead.
@Suite struct SentTextTests {
    /// A minute after the fixtures were signed.
    private let now = Instant(milliseconds: 1_770_000_060_001)
    private let root: LocalRoot

    init() throws {
        root = try LocalRoot.make(now: now)
    }

    private func refusal(
        _ jws: String, in environment: AppStoreEnvironment = .sandbox, bundleId: BundleId = "com.example.pro",
        roots: [AppStoreEnvironment: [[UInt8]]]? = nil
    ) throws -> SignedDataRefusal? {
        let reader = SignedDataReader(
            verifier: try AppStoreChainVerifier(additionalRoots: roots ?? [.sandbox: [root.rootDER]]),
            bundleId: bundleId, appAppleId: 1_234_567_890, environment: environment)
        return AppStoreDataTests.refusal { () throws(SignedDataRefusal) in _ = try reader.transaction(jws, now: now) }
    }

    @Test(
        "of a JWS with a damaged part that part is named, not the whole",
        arguments: ["@@.AAAA", "e30.@@", "e30", "e30.AAAA.AAAA"])
    func damaged(rest: String) throws {
        let certificate = String(repeating: "MIIB", count: 200)
        let header = Self.base64(#"{"alg":"ES256","x5c":["\#(certificate)"]}"#).replacingOccurrences(of: "=", with: "")
        let found = try #require(try refusal("\(header).\(rest)"))
        #expect(found.code == .malformedJws && !found.detail.contains("this is"), "\(found.detail)")
    }

    struct Sent: Sendable, CustomTestStringConvertible {
        let text: String
        let detail: String
        let hint: String

        init(_ text: String, _ detail: String, _ hint: String) {
            (self.text, self.detail, self.hint) = (text, detail, hint)
        }

        var testDescription: String { detail }
    }

    private static let transaction = #"{"transactionId":"1","bundleId":"com.example.pro","signedDate":1770000000000}"#
    private static let header = #"{"alg":"ES256","x5c":["MIIB"]}"#

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    /// The beginning of PKCS #7 `signedData`, in DER.
    private static let pkcs7: [UInt8] = [
        0x30, 0x82, 0x13, 0xB8, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02, 0xA0, 0x82, 0x13,
        0xA9, 0x30,
        0x82, 0x13, 0xA5, 0x02, 0x01, 0x01,
    ]

    static let sent = [
        Sent(Data(pkcs7).base64EncodedString(), "a StoreKit 1 receipt", "offerd import receipts"),
        Sent(
            Data(pkcs7 + [UInt8](repeating: 7, count: 300_000)).base64EncodedString(), "a StoreKit 1 receipt",
            "jwsRepresentation"),
        Sent(
            Data(pkcs7 + [UInt8](repeating: 7, count: 600)).base64EncodedString(options: .lineLength64Characters),
            "a StoreKit 1 receipt", "jwsRepresentation"),
        Sent(
            Data([0x30, 0x80] + pkcs7.dropFirst(4)).base64EncodedString().replacing("+", with: "-"),
            "a StoreKit 1 receipt", "jwsRepresentation"),
        Sent(
            base64("{\n\t\"signature\" = \"AnA\";\n\t\"purchase-info\" = \"ewo\";\n}"), "a StoreKit 1 receipt",
            "jwsRepresentation"),
        Sent(transaction, "decoded JSON", "jwsRepresentation"),
        Sent("\n  " + transaction, "decoded JSON", "jwsRepresentation"),
        Sent("[\(transaction)]", "decoded JSON", "jwsRepresentation"),
        Sent(base64(transaction), "decoded JSON, which proves nothing, in Base64", "jwsRepresentation"),
        Sent(#"{"signedPayload":"eyJhbGciOiJFUzI1NiJ9.e30.AA"}"#, "a notification", "notifications URL"),
        Sent(base64("\(base64(header)).\(base64(transaction)).AAAA"), "a JWS in Base64", "without encoding"),
        Sent(base64(header), "a part of a JWS", "all three parts"),
        Sent("\"eyJhbGciOiJFUzI1NiJ9.e30.AA\"", "a text in quotes", "without quotes"),
        Sent("2000000123456789", "a transaction's identifier", "`customer`"),
        Sent("abcdefghijklmn.AO-J1OwYzMB", "a purchase token of Google Play", "Google"),
        Sent("-----BEGIN CERTIFICATE-----\nMIIB", "PEM", "jwsRepresentation"),
        Sent("", "an empty text", "leave the member out"), Sent("  \n", "an empty text", "leave the member out"),
        Sent("null", "the text `null`", "leave the member out"),
        Sent("[object Object]", "the text `[object Object]`", "leave the member out"),
    ]

    @Test("a text that is no JWS is named, with what to send instead", arguments: sent)
    func named(_ sent: Sent) throws {
        let refusal = try #require(try refusal(sent.text))
        #expect(refusal.code == .malformedJws)
        #expect(refusal.detail.contains("this is \(sent.detail)"), "\(refusal.detail)")
        #expect(refusal.hint?.contains(sent.hint) == true, "\(refusal.hint ?? "")")
    }

    @Test(
        "a text that looks like a JWS keeps the words about what is wrong with it",
        arguments: [
            ("eyJhbGciOiJFUzI1NiJ9.e30", "has 3 parts, this one has 2"),
            ("eyJhbGciOiJFUzI1NiJ9.e30.A A", "the signature is not base64url"),
            ("eyJhbGciOiJFUzI1NiJ9.{}.AA", "the payload is not base64url"), ("a", "has 3 parts, this one has 1"),
            ("eyJhbGciOiJFUzI1NiJ9." + String(repeating: "A", count: 200_000), "more than 131072"),
            ("..", "the header is not"),
        ])
    func parts(_ text: String, _ detail: String) throws {
        let refusal = try #require(try refusal(text))
        #expect(refusal.code == .malformedJws && refusal.detail.contains(detail), "\(refusal.detail)")
    }

    @Test("JWS of the service, Apple's servers or a login provider are named")
    func tokens() throws {
        for (claims, noun, hint) in [
            (#"{"aud":"promotional-offer","iss":"i","nonce":"n"}"#, "a signature that this service made", "StoreKit"),
            (#"{"iss":"i","aud":"introductory-offer-eligibility"}"#, "a signature that this service made", "StoreKit"),
            (
                #"{"iss":"i","iat":1,"aud":"appstoreconnect-v1","bid":"b"}"#, "a token for Apple's servers",
                "signedTransactionInfo"
            ),
            (#"{"iss":"https://appleid.apple.com","aud":"b","sub":"001"}"#, "a login token", "`Customer-Token`"),
            (#"{"sub":"001","iss":"https://securetoken.google.com/p"}"#, "a login token", "`Customer-Token`"),
            (#"{"signedDate":1770000000000,"iss":"i","sub":"s"}"#, "a login token", "`Customer-Token`"),
        ] {
            let refusal = try #require(try refusal(try root.sign(payload: Array(claims.utf8))))
            #expect([.malformedPayload, .missingSignedDate].contains(refusal.code))
            #expect(refusal.detail.contains(noun) && refusal.detail.contains("not a transaction"), "\(refusal.detail)")
            #expect(refusal.hint?.contains(hint) == true, "\(refusal.hint ?? "")")
        }
    }

    @Test("another kind of Apple's signed data is named, with the member that takes it")
    func kinds() throws {
        for (payload, noun, member) in [
            (#"{"autoRenewStatus":1,"signedDate":1770000000000}"#, "renewal info", "signedRenewalInfo"),
            (
                #"{"receiptType":"Sandbox","receiptCreationDate":1770000000000}"#, "an app transaction",
                "signedAppTransaction"
            ),
            (#"{"notificationUUID":"x","signedDate":1770000000000}"#, "a notification", "notifications URL"),
            (#"{"requestIdentifier":"x","signedDate":1770000000000}"#, "a realtime retention request", "retention"),
        ] {
            let refusal = try #require(try refusal(try root.sign(payload: Array(payload.utf8))))
            #expect(refusal.detail.contains("this is \(noun), not a transaction"), "\(refusal.detail)")
            #expect(refusal.detail.contains(member), "\(refusal.detail)")
        }
    }

    private func signed(_ changes: [String: Any] = [:]) throws -> String {
        try root.sign(payload: Payloads.bytes("transaction", set: changes))
    }

    @Test(
        "data of another environment says which API key takes it",
        arguments: AppStoreEnvironment.allCases.filter { $0 != .sandbox })
    func environments(_ environment: AppStoreEnvironment) throws {
        let refusal = try #require(try refusal(try signed(["environment": environment.rawValue])))
        #expect(refusal.code == .wrongEnvironment)
        #expect(refusal.hint?.contains("an API key for `\(environment.rawValue)`") == true, "\(refusal.hint ?? "")")
    }

    @Test("data of another app, and data under an unknown root, have hints of their own")
    func apps() throws {
        let app = try #require(try refusal(try signed(), bundleId: "com.example.other"))
        #expect(app.code == .wrongBundleId && app.hint?.contains("`com.example.other`") == true, "\(app.hint ?? "")")
        var hints = Set<String>()
        for environment in [AppStoreEnvironment.production, .sandbox, .localTesting] {
            let refusal = try #require(try refusal(try signed(), in: environment, roots: [:]))
            #expect(refusal.code == .untrustedRoot)
            hints.insert(try #require(refusal.hint))
        }
        #expect(hints.count == 3, "\(hints)")
        #expect(!hints.contains(try #require(app.hint)))
    }

    @Test("the one certificate of Xcode is named in each other environment, and what it needs")
    func xcode() throws {
        let jws = try signed()
        let parts = jws.split(separator: ".")
        for header in [#"{"alg":"ES256","kid":"Apple_Xcode_Key","x5c":["MIIB"]}"#, #"{"alg":"ES256","x5c":["MIIB"]}"#] {
            let text = Self.base64(header).replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
            for environment in [AppStoreEnvironment.production, .sandbox, .localTesting] {
                let refusal = try #require(try refusal("\(text).\(parts[1]).\(parts[2])", in: environment))
                #expect(refusal.code == .certificateCount)
                #expect(refusal.detail.contains("signed by Xcode"), "\(refusal.detail)")
                #expect(refusal.hint?.contains("`trustedRoots`") == true, "\(refusal.hint ?? "")")
            }
        }
    }
}
