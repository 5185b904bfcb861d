import AppStoreData
import Foundation
import LocalAppStore
import OfferModel
import OfferSigning
import OpenSSLCrypto
import Testing

@Suite struct SignedDataReaderTests {
    /// A minute after the fixtures were signed.
    private let now = Instant(milliseconds: 1_770_000_060_001)
    private let root: LocalRoot
    private let reader: SignedDataReader

    init() throws {
        root = try LocalRoot.make(now: now)
        reader = SignedDataReader(
            verifier: try AppStoreChainVerifier(additionalRoots: [.sandbox: [root.rootDER]]),
            bundleId: "com.example.pro", appAppleId: 1_234_567_890, environment: .sandbox)
    }

    private func signed(_ fixture: String, _ changes: [String: Any] = [:]) throws -> String {
        try root.sign(payload: Payloads.bytes(fixture, set: changes))
    }

    private func refusal(_ kind: Kind, _ jws: String, now: Instant? = nil) -> SignedDataRefusal? {
        let now = now ?? self.now
        return AppStoreDataTests.refusal { () throws(SignedDataRefusal) in
            switch kind {
            case .transaction: _ = try reader.transaction(jws, now: now)
            case .renewalInfo: _ = try reader.renewalInfo(jws, now: now)
            case .appTransaction: _ = try reader.appTransaction(jws, now: now)
            }
        }
    }

    @Test(
        "signed data of this app and environment is read", arguments: [Kind.transaction, .renewalInfo, .appTransaction])
    func accepted(kind: Kind) throws {
        #expect(refusal(kind, try signed(kind.fixture)) == nil)
    }

    @Test("data of another app is refused", arguments: [Kind.transaction, .appTransaction])
    func wrongBundleId(kind: Kind) throws {
        let jws = try signed(kind.fixture, ["bundleId": "com.example.other"])
        #expect(
            refusal(kind, jws)
                == SignedDataRefusal(
                    .wrongBundleId, "`bundleId` is `com.example.other`, expected `com.example.pro`"))
    }

    @Test(
        "data that names another environment, or none, is refused (invariant 6)",
        arguments: [
            (Kind.transaction, "environment"), (.renewalInfo, "environment"), (.appTransaction, "receiptType"),
        ])
    func wrongEnvironment(kind: Kind, member: String) throws {
        let other = try signed(kind.fixture, [member: "Production"])
        #expect(
            refusal(kind, other)
                == SignedDataRefusal(.wrongEnvironment, "`\(member)` is `Production`, expected `Sandbox`"))
        let absent = try signed(kind.fixture, [member: NSNull()])
        #expect(
            refusal(kind, absent)
                == SignedDataRefusal(.wrongEnvironment, "`\(member)` is absent, expected `Sandbox`"))
    }

    @Test("an app transaction's environment is its receipt type, not a member called environment (invariant 6)")
    func receiptType() throws {
        let jws = try signed(Payloads.appTransaction, ["receiptType": "Production", "environment": "Sandbox"])
        #expect(refusal(.appTransaction, jws)?.code == .wrongEnvironment)
    }

    @Test("data signed up to 60 s ahead of the clock is read, a millisecond more is refused")
    func signedInFuture() throws {
        let limit = now.adding(milliseconds: 60_000).milliseconds
        for (kind, member) in [
            (Kind.transaction, "signedDate"), (.renewalInfo, "signedDate"), (.appTransaction, "receiptCreationDate"),
        ] {
            #expect(refusal(kind, try signed(kind.fixture, [member: limit])) == nil)
            let late = refusal(kind, try signed(kind.fixture, [member: limit + 1]))
            #expect(
                late
                    == SignedDataRefusal(
                        .signedInFuture, "`\(member)` 2026-02-02T02:42:00.002Z is 60 s ahead of the clock"))
        }
    }

    @Test("data without its date is refused, because its certificates cannot be judged")
    func missingDate() throws {
        #expect(
            refusal(.transaction, try signed(Payloads.transaction, ["signedDate": NSNull()]))?.code
                == .missingSignedDate)
        #expect(
            refusal(.renewalInfo, try signed(Payloads.renewalInfo, ["signedDate": NSNull()]))?.code
                == .missingSignedDate)
        #expect(
            refusal(.appTransaction, try signed(Payloads.appTransaction, ["receiptCreationDate": NSNull()]))?.code
                == .missingSignedDate)
    }

    @Test("the certificates are judged at the payload's date, not at the clock")
    func judgedAtItsDate() throws {
        let early = try signed(Payloads.transaction, ["signedDate": 946_684_799_000])
        #expect(refusal(.transaction, early)?.code == .certificateNotValidAtDate)
        let earlyApp = try signed(Payloads.appTransaction, ["receiptCreationDate": 946_684_799_000])
        #expect(refusal(.appTransaction, earlyApp)?.code == .certificateNotValidAtDate)
    }

    @Test("one kind of data in the place of another is refused with where it belongs")
    func mixedKinds() throws {
        #expect(
            refusal(.transaction, try signed(Payloads.appTransaction))
                == SignedDataRefusal(
                    .malformedPayload,
                    "this is an app transaction, not a transaction: send it as `signedAppTransaction`"))
        #expect(
            refusal(.appTransaction, try signed(Payloads.transaction))
                == SignedDataRefusal(
                    .malformedPayload,
                    "this is a transaction, not an app transaction: send it in `signedTransactions`"))
    }

    @Test("a payload exchanged under a genuine signature is refused, whatever it says (invariant 6)")
    func exchangedPayload() throws {
        let parts = try signed(Payloads.transaction).split(separator: ".")
        let forged = try Payloads.bytes(Payloads.transaction, set: ["price": 0])
        let jws = "\(parts[0]).\(Base64URL.encode(forged)).\(parts[2])"
        #expect(refusal(.transaction, jws)?.code == .badSignature)
    }

    @Test("a wrong signature is refused before a wrong member or a wrong app is spoken of")
    func signatureBeforeClaims() throws {
        let parts = try signed(Payloads.transaction).split(separator: ".")
        for changes in [["bundleId": "com.example.other"], ["environment": "Production"], ["price": "much"]] {
            let forged = try Payloads.bytes(Payloads.transaction, set: changes)
            let jws = "\(parts[0]).\(Base64URL.encode(forged)).\(parts[2])"
            #expect(refusal(.transaction, jws)?.code == .badSignature)
        }
    }

    @Test("a chain of another root is refused (invariant 6)")
    func otherRoot() throws {
        let jws = try LocalRoot.make(now: now).sign(payload: Payloads.bytes(Payloads.transaction))
        #expect(refusal(.transaction, jws)?.code == .untrustedRoot)
    }

    @Test(
        "what is no JWS is refused (invariant 10)",
        arguments: ["", "a.b", "a.b.c.d", "e30.e30.%%%", ".."])
    func noJWS(text: String) throws {
        #expect(refusal(.transaction, text)?.code == .malformedJws)
    }

    @Test("a payload without members is none of any kind")
    func emptyPayload() throws {
        #expect(
            refusal(.transaction, "e30.e30.e30")
                == SignedDataRefusal(.malformedPayload, "a transaction has no `transactionId`"))
    }

    @Test("a JWS over 128 KiB is refused before it is taken apart (invariant 10)")
    func tooLong() throws {
        let text = String(repeating: "a", count: 131_073)
        #expect(
            refusal(.transaction, text)
                == SignedDataRefusal(.malformedJws, "the JWS has 131073 bytes, more than 131072"))
    }

    @Test("verified data carries its exact bytes, so that ties between equal dates can be settled")
    func exactBytes() throws {
        let bytes = try Payloads.bytes(Payloads.renewalInfo)
        let jws = try root.sign(payload: bytes)
        let verified = try reader.renewalInfo(jws, now: now)
        #expect(verified.payloadBytes == bytes)
        #expect(verified.signedDate == Instant(milliseconds: 1_770_000_000_001))
        #expect(verified.jws == jws)
        #expect(verified.payload == (try RenewalInfo(payload: bytes)))
    }
}
