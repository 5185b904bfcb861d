import AppStoreData
import OfferModel
import OfferSigning
import Testing

@Suite("Exported transactions")
struct ImportedTransactionReaderTests {
    private static let needed = """
        "transactionId":"2","originalTransactionId":"1","productId":"p","purchaseDate":1700000000000
        """

    private func read(_ members: String, exportedAt: Instant? = nil) throws -> ImportedTransaction {
        try ImportedTransactionReader(bundleId: "com.example.pro", exportedAt: exportedAt)
            .read(Array("{\(Self.needed)\(members.isEmpty ? "" : ",")\(members)}".utf8))
    }

    @Test("may leave out the app and the date of signing, for which the last thing that happened stands")
    func defaults() throws {
        let plain = try read("").transaction
        #expect(plain.bundleId == "com.example.pro")
        #expect(plain.signedDate == Instant(milliseconds: 1_700_000_000_000))
        let refunded = try read(#""revocationDate":1700000500000"#).transaction
        #expect(refunded.signedDate == Instant(milliseconds: 1_700_000_500_000))
        let exported = try read("", exportedAt: Instant(milliseconds: 1_710_000_000_000)).transaction
        #expect(exported.signedDate == Instant(milliseconds: 1_710_000_000_000))
        let signed = try read(
            #""signedDate":1700000000001,"bundleId":"com.example.other""#,
            exportedAt: Instant(milliseconds: 1_710_000_000_000)
        ).transaction
        #expect(signed.signedDate == Instant(milliseconds: 1_700_000_000_001))
        #expect(signed.bundleId == "com.example.other")
    }

    @Test("may hold the app's own name and renewal info of the same subscription")
    func additions() throws {
        let imported = try read(#""customerId":"anna","renewalInfo":{"autoRenewStatus":0},"unheard":[1]"#)
        #expect(imported.customerId == "anna")
        var info = RenewalInfo(
            originalTransactionId: "1", productId: "p", signedDate: Instant(milliseconds: 1_700_000_000_000))
        info.autoRenewStatus = .off
        #expect(imported.renewalInfo == info)
        #expect(try read(#""renewalInfo":null"#).renewalInfo == nil)
    }

    @Test(
        "is refused by the member that is missing or wrong",
        arguments: [
            (#"{"transactionId":"2"}"#, "originalTransactionId"),
            (#"{"transactionId":"2","originalTransactionId":"1","productId":"p"}"#, "purchaseDate"),
            (#"{"transactionId":"2","originalTransactionId":"1","productId":7}"#, "productId"),
            ("{\(needed),\"price\":\"9.99\"}", "price"), ("{\(needed),\"renewalInfo\":7}", "renewalInfo"),
            ("{\(needed),\"renewalInfo\":{\"autoRenewStatus\":\"on\"}}", "renewalInfo.autoRenewStatus"),
            ("{\(needed),\"customerId\":\"a\\u0000b\"}", "customerId"),
        ])
    func wrong(json: String, member: String) {
        let refusal = #expect(throws: SignedDataRefusal.self) {
            try ImportedTransactionReader(bundleId: "b").read(Array(json.utf8))
        }
        #expect(refusal?.member == member)
    }

    @Test(
        "is refused as a whole if it is no JSON object of this kind",
        arguments: ["", "[]", "7", "{", "{}", #"{"notificationUUID":"x"}"#])
    func malformed(json: String) {
        let refusal = #expect(throws: SignedDataRefusal.self) {
            try ImportedTransactionReader(bundleId: "b").read(Array(json.utf8))
        }
        #expect(refusal?.member == nil)
    }
}
