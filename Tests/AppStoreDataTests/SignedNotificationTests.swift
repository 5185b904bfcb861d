import Foundation
import LocalAppStore
import OfferModel
import OfferSigning
import OfferTestSupport
import OpenSSLCrypto
import Testing

@testable import AppStoreData

@Suite struct SignedNotificationTests {
    private let now = Instant(milliseconds: 1_770_000_060_001)
    private let root: LocalRoot
    private let reader: SignedDataReader

    init() throws {
        root = try LocalRoot.make(now: now)
        reader = SignedDataReader(
            verifier: try AppStoreChainVerifier(additionalRoots: [.sandbox: [root.rootDER]]),
            bundleId: "com.example.pro", appAppleId: 1_234_567_890, environment: .sandbox)
    }

    private func refusal(_ changes: [String: Any]) throws -> SignedDataRefusal? {
        let jws = try root.sign(payload: Payloads.bytes("notification", set: changes))
        return refusal(jws)
    }

    private func refusal(_ jws: String) -> SignedDataRefusal? {
        AppStoreDataTests.refusal { () throws(SignedDataRefusal) in try reader.notification(jws, now: now) }
    }

    @Test("a signed notification of this app is read with its bytes")
    func accepted() throws {
        let bytes = try Payloads.bytes("notification")
        let jws = try root.sign(payload: bytes)
        let verified = try reader.notification(jws, now: now)
        #expect(verified.payload == (try AppStoreNotification(payload: bytes)))
        #expect(verified.payloadBytes == bytes)
        #expect(verified.jws == jws)
        #expect(verified.signedDate == Instant(milliseconds: 1_770_000_000_001))
    }

    @Test("a notification of another app or environment, or of none, is refused (invariant 6)")
    func claims() throws {
        let data: [String: Any] = ["bundleId": "com.example.pro", "environment": "Sandbox"]
        #expect(try refusal(["data": data]) == nil)
        #expect(
            try refusal(["data": data.merging(["bundleId": "com.example.other"]) { $1 }])
                == SignedDataRefusal(
                    .wrongBundleId, "`data.bundleId` is `com.example.other`, expected `com.example.pro`"))
        #expect(
            try refusal(["data": data.merging(["environment": "Production"]) { $1 }])
                == SignedDataRefusal(
                    .wrongEnvironment, "`data.environment` is `Production`, expected `Sandbox`"))
        #expect(
            try refusal(["data": ["environment": "Sandbox"]])
                == SignedDataRefusal(.wrongBundleId, "`data.bundleId` is absent, expected `com.example.pro`"))
        #expect(try refusal(["data": ["bundleId": "com.example.pro"]])?.code == .wrongEnvironment)
        #expect(
            try refusal(["data": NSNull(), "notificationType": "NEW"])
                == SignedDataRefusal(
                    .wrongBundleId,
                    "a notification of the type `NEW` names no app, expected `com.example.pro`"))
    }

    @Test("each part that names an app must name this one, also beside a part that does (invariant 6)")
    func parts() throws {
        for part in ["summary", "appData"] {
            let mine = ["bundleId": "com.example.pro", "environment": "Sandbox"]
            #expect(try refusal(["data": NSNull(), part: mine]) == nil)
            let other = ["bundleId": "com.example.other", "environment": "Sandbox"]
            #expect(
                try refusal([part: other])?.detail
                    == "`\(part).bundleId` is `com.example.other`, expected `com.example.pro`")
        }
        let token = ["bundleId": "com.example.pro", "externalPurchaseId": "SANDBOX_x"]
        #expect(try refusal(["data": NSNull(), "externalPurchaseToken": token]) == nil)
        let production = ["bundleId": "com.example.pro", "externalPurchaseId": "x"]
        #expect(try refusal(["data": NSNull(), "externalPurchaseToken": production])?.code == .wrongEnvironment)
        let silent = ["bundleId": "com.example.pro"]
        #expect(try refusal(["data": NSNull(), "externalPurchaseToken": silent])?.code == .wrongEnvironment)
    }

    @Test("in Production the app's number must be there and be this app's")
    func production() throws {
        let claims = ExpectedClaims(bundleId: "com.example.pro", appAppleId: 7, environment: .production)
        func refusal(_ number: Int64?) throws -> String? {
            var notification = try AppStoreNotification(payload: Payloads.bytes("notification"))
            notification.data?.environment = "Production"
            notification.data?.appAppleId = number
            return AppStoreDataTests.refusal { () throws(SignedDataRefusal) in try claims.check(notification) }?.detail
        }
        #expect(try refusal(7) == nil)
        #expect(try refusal(8) == "`data.appAppleId` is `8`, expected `7`")
        #expect(try refusal(nil) == "`data.appAppleId` is absent")
    }

    @Test("data not signed by the trusted root, or in the future, is refused before its claims are mentioned")
    func signature() throws {
        let bytes = try Payloads.bytes("notification", set: ["data": ["bundleId": "com.example.other"]])
        #expect(refusal(try LocalRoot.make(now: now).sign(payload: bytes))?.code == .untrustedRoot)
        let parts = try root.sign(payload: bytes).split(separator: ".")
        let forged = Base64URL.encode(try Payloads.bytes("notification"))
        #expect(refusal("\(parts[0]).\(forged).\(parts[2])")?.code == .badSignature)
        #expect(try refusal(["signedDate": now.milliseconds + 60_001])?.code == .signedInFuture)
        #expect(try refusal(["signedDate": now.milliseconds + 60_000]) == nil)
    }

    @Test("a notification may have 256 KiB, a transaction half of it (invariant 10)")
    func size() throws {
        let bytes = try Payloads.bytes("notification", set: ["filler": String(repeating: "x", count: 150_000)])
        let jws = try root.sign(payload: bytes)
        #expect(jws.utf8.count > 131_072)
        #expect(refusal(jws) == nil)
        let long = String(repeating: "a", count: 262_145)
        #expect(
            refusal(long) == SignedDataRefusal(.malformedJws, "the JWS has 262145 bytes, more than 262144"))
    }

    @Test("a notification in the place of a transaction is refused with where it belongs, and the other way round")
    func mixed() throws {
        let notification = try root.sign(payload: Payloads.bytes("notification"))
        #expect(
            AppStoreDataTests.refusal { () throws(SignedDataRefusal) in
                try reader.transaction(notification, now: now)
            }?.detail
                == "this is a notification, not a transaction: the App Store sends it to the notifications URL")
        #expect(
            refusal(try root.sign(payload: Payloads.bytes(Payloads.renewalInfo)))?.detail
                == "this is renewal info, not a notification: send it in `signedRenewalInfo`")
    }
}
