import AppStoreData
import Foundation
import OfferModel
import OfferSigning
import OfferTestSupport
import Testing

@Suite struct RefusedPayloadTests {
    @Test("each wrong member is refused by its name")
    func wrongMembers() throws {
        let parsed = try JSONSerialization.jsonObject(with: Data(try Payloads.bytes("refused-payloads")))
        let cases = try #require(parsed as? [[String: Any]])
        #expect(cases.count == 40)
        for entry in cases {
            let name = try #require(entry["name"] as? String)
            let kind = try #require((entry["kind"] as? String).flatMap { Kind(rawValue: $0) })
            let changes = try #require(entry["set"] as? [String: Any])
            let bytes = try Payloads.bytes(kind.fixture, set: changes)
            let found = refusal { () throws(SignedDataRefusal) in try kind.read(bytes) }
            #expect(found?.code.rawValue == entry["code"] as? String, "\(name)")
            #expect(found?.detail == entry["detail"] as? String, "\(name)")
        }
    }

    @Test(
        "a payload of another kind is refused with what it is and where it belongs",
        arguments: [
            (
                Kind.transaction, Payloads.appTransaction,
                "this is an app transaction, not a transaction: send it as `signedAppTransaction`"
            ),
            (
                .transaction, Payloads.renewalInfo,
                "this is renewal info, not a transaction: send it in `signedRenewalInfo`"
            ),
            (
                .appTransaction, Payloads.transaction,
                "this is a transaction, not an app transaction: send it in `signedTransactions`"
            ),
            (
                .appTransaction, Payloads.renewalInfo,
                "this is renewal info, not an app transaction: send it in `signedRenewalInfo`"
            ),
            (
                .renewalInfo, Payloads.transaction,
                "this is a transaction, not renewal info: send it in `signedTransactions`"
            ),
            (
                .renewalInfo, Payloads.appTransaction,
                "this is an app transaction, not renewal info: send it as `signedAppTransaction`"
            ),
        ])
    func mixedKinds(kind: Kind, fixture: String, detail: String) throws {
        let bytes = try Payloads.bytes(fixture)
        let found = refusal { () throws(SignedDataRefusal) in try kind.read(bytes) }
        #expect(found == SignedDataRefusal(.malformedPayload, detail))
    }

    @Test("a member of another kind, should Apple add one, does not cost the customer the payload")
    func addedMember() throws {
        let info = try Payloads.bytes(Payloads.renewalInfo, set: ["transactionId": "2000000000000005"])
        #expect(try RenewalInfo(payload: info).originalTransactionId == "2000000000000001")
        let transaction = try Payloads.bytes(Payloads.transaction, set: ["receiptType": "Sandbox"])
        #expect(try Transaction(payload: transaction).transactionId == "2000000000000005")
    }

    @Test("a notification in place of a transaction is told apart")
    func notification() throws {
        let bytes = Array(#"{"notificationType":"TEST","notificationUUID":"x","signedDate":1}"#.utf8)
        let found = refusal { () throws(SignedDataRefusal) in try Transaction(payload: bytes) }
        #expect(
            found
                == SignedDataRefusal(
                    .malformedPayload,
                    "this is a notification, not a transaction: the App Store sends it to the notifications URL"))
    }

    @Test(
        "a realtime retention request is told apart from each kind that it could displace",
        arguments: [
            (Kind.transaction, "a transaction"), (.renewalInfo, "renewal info"),
            (.appTransaction, "an app transaction"),
        ])
    func realtimeRequest(kind: Kind, noun: String) throws {
        let text = """
            {"originalTransactionId":"2000000000000001","appAppleId":1234567890,"productId":"com.example.pro.monthly",\
            "userLocale":"en-US","requestIdentifier":"0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b","environment":"Sandbox",\
            "signedDate":1770000000001}
            """
        let found = refusal { () throws(SignedDataRefusal) in try kind.read(Array(text.utf8)) }
        #expect(
            found
                == SignedDataRefusal(
                    .malformedPayload,
                    "this is a realtime retention request, not \(noun): "
                        + "the App Store sends it to the retention messaging URL"))
    }

    @Test("a mark that is null is none, one mark is enough")
    func marks() throws {
        let text = """
            {"originalTransactionId":"1","productId":"p","signedDate":1,"autoRenewStatus":null,"autoRenewProductId":null}
            """
        let found = refusal { () throws(SignedDataRefusal) in try RenewalInfo(payload: Array(text.utf8)) }
        #expect(found?.detail == "renewal info has no `autoRenewStatus` and no `autoRenewProductId`")
        for mark in ["autoRenewStatus", "autoRenewProductId"] {
            let bytes = try Payloads.bytes(Payloads.renewalInfo, set: [mark: NSNull()])
            #expect(try RenewalInfo(payload: bytes).originalTransactionId == "2000000000000001")
        }
    }

    @Test("text in any script is no control character")
    func printable() throws {
        let bytes = try Payloads.bytes(Payloads.transaction, set: ["offerIdentifier": "zurück-お得 \u{1F381}"])
        #expect(try Transaction(payload: bytes).offerIdentifier == "zurück-お得 \u{1F381}")
    }

    @Test(
        "what is no JSON object is refused (invariant 10)",
        arguments: [
            ("", "the payload is not JSON"), ("{", "the payload is not JSON"),
            ("null", "the payload is not a JSON object"),
            ("[]", "the payload is not a JSON object"), ("7", "the payload is not a JSON object"),
            ("{\"signedDate\":1}}", "the payload is not JSON"),
        ])
    func notAnObject(text: String, detail: String) throws {
        let found = refusal { () throws(SignedDataRefusal) in try Transaction(payload: Array(text.utf8)) }
        #expect(found == SignedDataRefusal(.malformedPayload, detail))
    }

    @Test("deep nesting is refused, not followed to the end of the stack (invariant 10)")
    func deepNesting() {
        let arrays = String(repeating: "[", count: 65_000)
        let objects = String(repeating: #"{"a":"#, count: 9_000) + "1" + String(repeating: "}", count: 9_000)
        for text in [arrays, objects] {
            let found = refusal { () throws(SignedDataRefusal) in try Transaction(payload: Array(text.utf8)) }
            #expect(found == SignedDataRefusal(.malformedPayload, "the payload is not JSON"))
        }
    }

    @Test("a payload over 64 KiB is refused before it is read (invariant 10)")
    func tooLong() throws {
        let filler = String(repeating: "x", count: 65_536)
        let bytes = try Payloads.bytes(Payloads.transaction, set: ["filler": filler])
        let found = refusal { () throws(SignedDataRefusal) in try Transaction(payload: bytes) }
        #expect(
            found
                == SignedDataRefusal(
                    .malformedPayload, "the payload has \(bytes.count) bytes, more than 65536"))
    }

    @Test("damaged payloads are read or refused, never a crash (invariant 10)")
    func damaged() throws {
        var random = SeededGenerator(seed: 0x5EED_0001)
        for fixture in [Payloads.transaction, Payloads.renewalInfo, Payloads.appTransaction] {
            let whole = try Payloads.bytes(fixture)
            for _ in 0..<1_000 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                for kind in [Kind.transaction, .renewalInfo, .appTransaction] {
                    let found = refusal { () throws(SignedDataRefusal) in try kind.read(bytes) }
                    let allowed: [SignedDataRefusal.Code?] = [nil, .malformedPayload, .missingSignedDate]
                    #expect(allowed.contains(found?.code), "seed \(random.seed)")
                }
            }
        }
    }
}
