import OfferTestSupport
import Testing

@Suite("issued offers as comma-separated values")
struct IssuedExportCSVTests {
    private static let offer = """
        "bundleId":"com.example.pro","catalogRevision":3,"delivery":"signature","environment":"Production",\
        "expiresAt":1795384800000,"issuedAt":1795298400000,"offerId":"comeback"
        """
    private static let first = """
        {"items":[{\(offer),"issuedOfferId":"6f1d3a52-7c0b-4b0e-9f3a-2d5e8c1b7a90","offerIdentifier":"=a,\\"b\\"",\
        "offerType":"promotional","productId":"two\\nlines","proof":{"checkpoint":{"eventSequence":40,"head":"cc",\
        "keyFingerprint":"dd","number":2,"signature":"ee","signedAt":1795298400001},"eventHash":"aa",\
        "eventSequence":17,"previousHash":"99","rowDigest":"bb"},"signings":1,"state":"open"}],"next":"c1"}
        """
    private static let second = """
        {"items":[{\(offer),"issuedOfferId":"6f1d3a52-7c0b-4b0e-9f3a-2d5e8c1b7a91","offerType":"introductory",\
        "productId":"monthly","signings":2,"state":"voided","voidedAt":1795298400000}]}
        """

    @Test("`--csv` prints an offer a row with all that its checkpoint signs, as another reader sees it")
    func rows() async throws {
        let pages = [ScriptedServer.Reply.json(200, Self.first), .json(200, Self.second)]
        try await ScriptedServer.run(sequences: ["GET /v1/issued-offers/export": pages]) { server in
            let run = try await OfferctlProcess.run(
                ["issued", "export", "--csv"],
                ["OFFERCTL_TOKEN": "offerd_1_secret", "OFFERCTL_SERVER": server.address])
            #expect(run.status == 0 && run.errorText.isEmpty)
            let rows = try CSVReading.rows(run.output)
            try #require(rows.count == 3 && rows.allSatisfy { $0.count == rows[0].count })
            let offers = rows.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(rows[0], $0)) }
            #expect(offers[0]["offerIdentifier"] == "'=a,\"b\"", "no spreadsheet runs it")
            #expect(offers[0]["productId"] == "two\nlines", "a line break stays within its cell")
            #expect(offers[0]["issuedAt"] == "2026-11-21T22:00:00Z")
            let checkpoint = [
                "": "2", "EventSequence": "40", "Head": "cc", "SignedAt": "1795298400001", "KeyFingerprint": "dd",
                "Signature": "ee",
            ]
            for (name, value) in checkpoint { #expect(offers[0]["checkpoint\(name)"] == value, "\(name)") }
            #expect(offers[0]["eventHash"] == "aa" && offers[0]["rowDigest"] == "bb")
            #expect(offers[1]["voidedAt"] == "2026-11-21T22:00:00Z" && offers[1]["offerIdentifier"] == "")
            #expect(offers[1]["eventSequence"] == "" && offers[1]["checkpointSignedAt"] == "")
            #expect(run.output.suffix(2) == [0x0D, 0x0A])
        }
    }
}
