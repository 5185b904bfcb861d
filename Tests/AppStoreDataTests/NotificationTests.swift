import AppStoreData
import Foundation
import OfferModel
import OfferSigning
import OfferTestSupport
import Testing

@Suite struct NotificationTests {
    private func read(_ bytes: [UInt8]) -> SignedDataRefusal? {
        refusal { () throws(SignedDataRefusal) in try AppStoreNotification(payload: bytes) }
    }

    @Test("every member of a notification is read, and what Apple adds is ignored")
    func members() throws {
        var expected = AppStoreNotification(
            notificationType: .subscribed, notificationUUID: "002e14d5-51f5-4503-b5a8-c3a1af68eb20",
            signedDate: Instant(milliseconds: 1_770_000_000_001))
        expected.subtype = .initialBuy
        expected.version = "2.0"
        var data = NotificationData()
        data.appAppleId = 1_234_567_890
        data.bundleId = "com.example.pro"
        data.bundleVersion = "1.2.3"
        data.environment = "Sandbox"
        data.signedTransactionInfo = "a.b.c"
        data.signedRenewalInfo = "d.e.f"
        data.status = .active
        data.consumptionRequestReason = "LEGAL"
        expected.data = data
        #expect(try AppStoreNotification(payload: Payloads.bytes("notification")) == expected)
    }

    @Test("every type and subtype of Apple's list, and those to come, keeps its spelling and its part")
    func types() throws {
        let text = try JSONSerialization.jsonObject(with: Data(Payloads.bytes("notification-types")))
        let rows = try #require(text as? [[String: String]])
        #expect(rows.count == 44)
        let parts: [String: Any] = [
            "test": ["bundleId": "com.example.pro", "environment": "Sandbox"],
            "data": ["bundleId": "com.example.pro", "environment": "Sandbox", "signedTransactionInfo": "t"],
            "summary": [
                "bundleId": "com.example.pro", "environment": "Sandbox", "requestIdentifier": "r",
                "productId": "p", "storefrontCountryCodes": ["USA", "CHE"], "failedCount": 5, "succeededCount": 7,
            ],
            "externalPurchaseToken": [
                "externalPurchaseId": "SANDBOX_1", "tokenCreationDate": 9, "appAppleId": 8,
                "bundleId": "com.example.pro",
            ],
            "appData": [
                "bundleId": "com.example.pro", "environment": "Sandbox", "signedAppTransactionInfo": "a",
            ],
        ]
        for row in rows {
            let part = try #require(row["part"])
            var changes: [String: Any] = ["data": NSNull(), "subtype": NSNull()]
            changes["notificationType"] = row["type"]
            if let subtype = row["subtype"] { changes["subtype"] = subtype }
            changes[part == "test" ? "data" : part] = parts[part]
            let bytes = try Payloads.bytes("notification", set: changes)
            let notification = try AppStoreNotification(payload: bytes)
            #expect(notification.notificationType.rawValue == row["type"])
            #expect(notification.subtype?.rawValue == row["subtype"])
            #expect((notification.data != nil) == ["data", "test"].contains(part))
            #expect(notification.data?.signedTransactionInfo == (part == "data" ? "t" : nil))
            #expect((notification.summary != nil) == (part == "summary"))
            #expect(
                notification.externalPurchaseToken?.tokenCreationDate?.milliseconds
                    == (part == "externalPurchaseToken" ? 9 : nil))
            #expect(notification.appData?.signedAppTransactionInfo == (part == "appData" ? "a" : nil))
            if let summary = notification.summary {
                #expect(summary.storefrontCountryCodes == ["USA", "CHE"])
                #expect(summary.requestIdentifier == "r")
                #expect(summary.productId == "p")
                #expect(summary.failedCount == 5)
                #expect(summary.succeededCount == 7)
            }
        }
    }

    @Test("the types and subtypes known by name are of Apple's list")
    func names() throws {
        let text = try JSONSerialization.jsonObject(with: Data(Payloads.bytes("notification-types")))
        let rows = try #require(text as? [[String: String]]).dropLast(3)
        let types: [NotificationType] = [
            .subscribed, .offerRedeemed, .didRenew, .didChangeRenewalStatus, .didChangeRenewalPref, .didFailToRenew,
            .gracePeriodExpired, .expired, .refund, .refundReversed, .revoke, .priceIncrease, .test,
        ]
        let subtypes: [NotificationSubtype] = [
            .initialBuy, .resubscribe, .upgrade, .downgrade, .billingRecovery, .autoRenewDisabled, .autoRenewEnabled,
            .gracePeriod, .voluntary, .billingRetry, .priceIncrease, .productNotForSale, .pending, .accepted,
        ]
        #expect(Set(types.map(\.rawValue)).isSubset(of: rows.compactMap { $0["type"] }))
        #expect(Set(subtypes.map(\.rawValue)).isSubset(of: rows.compactMap { $0["subtype"] }))
    }

    @Test("each wrong member of a notification is refused by its name (invariant 10)")
    func wrongMembers() throws {
        let parsed = try JSONSerialization.jsonObject(with: Data(Payloads.bytes("refused-notifications")))
        let cases = try #require(parsed as? [[String: Any]])
        #expect(cases.count == 29)
        for entry in cases {
            let name = try #require(entry["name"] as? String)
            let found = read(
                try Payloads.bytes("notification", set: try #require(entry["set"] as? [String: Any])))
            #expect(found?.code.rawValue == entry["code"] as? String, "\(name)")
            #expect(found?.detail == entry["detail"] as? String, "\(name)")
        }
    }

    @Test("an id that is no UUID stays as Apple wrote it")
    func otherId() throws {
        let bytes = try Payloads.bytes("notification", set: ["notificationUUID": "Test-ID"])
        #expect(try AppStoreNotification(payload: bytes).notificationUUID == "Test-ID")
    }

    @Test("another kind of payload is no notification, and a notification without parts is one")
    func kinds() throws {
        #expect(
            read(try Payloads.bytes(Payloads.transaction))
                == SignedDataRefusal(
                    .malformedPayload, "this is a transaction, not a notification: send it in `signedTransactions`"))
        let bare = try Payloads.bytes("notification", set: ["data": NSNull()])
        #expect(try AppStoreNotification(payload: bare).data == nil)
    }

    @Test(
        "what is no notification is refused (invariant 10)",
        arguments: ["", "{", "null", "[]", "7", "{}", "\u{FEFF}", String(repeating: "[", count: 60_000)])
    func hostile(text: String) {
        #expect(read(Array(text.utf8))?.code == .malformedPayload)
    }

    @Test("a payload over 192 KiB is refused before it is read, one just below it is not (invariant 10)")
    func tooLong() throws {
        let bytes = try Payloads.bytes("notification", set: ["filler": String(repeating: "x", count: 196_608)])
        #expect(read(bytes)?.detail == "the payload has \(bytes.count) bytes, more than 196608")
        let large = try Payloads.bytes("notification", set: ["filler": String(repeating: "x", count: 190_000)])
        #expect(read(large) == nil)
    }

    @Test("a member given twice means the same in every reading of it (invariant 10)")
    func duplicateKeys() throws {
        let text = """
            {"notificationType":"TEST","notificationUUID":"a","notificationUUID":"b","signedDate":1,"signedDate":2}
            """
        let first = try AppStoreNotification(payload: Array(text.utf8))
        #expect(try AppStoreNotification(payload: Array(text.utf8)) == first)
        #expect(["a", "b"].contains(first.notificationUUID))
    }

    @Test("damaged notifications are read or refused, never a crash (invariant 10)")
    func damaged() throws {
        var random = SeededGenerator(seed: 0x5EED_0048)
        let whole = try Payloads.bytes("notification")
        for _ in 0..<3_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place...].prefix(30), at: place)
                }
            }
            let allowed: [SignedDataRefusal.Code?] = [nil, .malformedPayload, .missingSignedDate]
            #expect(allowed.contains(read(bytes)?.code), "seed \(random.seed)")
        }
    }
}
