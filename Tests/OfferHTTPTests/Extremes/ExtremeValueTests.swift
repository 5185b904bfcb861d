import Foundation
import LocalAppStore
import OfferModel
import Testing

@Suite("Numbers, dates and periods beyond all bounds end no process (invariant 10)")
struct ExtremeValueTests {
    /// A purchase of one millisecond in an offer of a million years.
    private static func purchase(_ number: Int, _ more: String = "", signedAt: Int64? = nil) -> String {
        """
        {"transactionId":"\(number)","originalTransactionId":"1","bundleId":"com.example.pro","productId":"monthly",\
        "subscriptionGroupIdentifier":"21500001","type":"Auto-Renewable Subscription","environment":"LocalTesting",\
        "purchaseDate":\(number),"expiresDate":\(number + 1),"signedDate":\(signedAt ?? Int64(number)),"offerType":2,\
        "offerIdentifier":"comeback50"\(more)}
        """
    }

    private static func asking(_ transactions: [String], _ renewals: [String] = [], more: String = "") -> String {
        #"{"history":{"transactions":[\#(transactions.joined(separator: ","))],"#
            + #""renewalInfos":[\#(renewals.joined(separator: ","))],"complete":true\#(more)}}"#
    }

    private static let most = "9223372036854775807"
    private static let least = "-9223372036854775808"

    @Test("supplied purchases of 1 ms in an offer of a million years are refused at their member")
    func suppliedMillionYears() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let period = #","offerPeriod":"P1000000Y""#
            let answer = try await service.decide(
                Self.asking([Self.purchase(0, period), Self.purchase(1, period)]))
            #expect(answer.status == 400, "\(answer.text)")
            #expect(answer.pointers == ["/history/transactions/0/offerPeriod"])
        }
    }

    @Test("signed purchases of 1 ms in an offer of a million years are kept and decided")
    func signedMillionYears() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let period = #","offerPeriod":"P1000000Y""#
            let signed = try (0..<2)
                .map { Self.purchase($0, period, signedAt: ServiceFixture.start.milliseconds) }
                .map { try service.root.sign(payload: Array($0.utf8)) }.map { "\"\($0)\"" }.joined(separator: ",")
            let (client, support) = (try await service.token(.client), try await service.token(.support))
            let taken = try await service.ask(
                "POST", "/v1/transactions", token: client, body: #"{"signedTransactions":[\#(signed)]}"#)
            #expect(taken.status == 200, "\(taken.text)")
            let decided = try await service.ask(
                "POST", "/v1/decisions", token: support, body: #"{"customer":{"originalTransactionId":"1"}}"#)
            #expect(decided.status == 200, "\(decided.text)")
            #expect(
                try service.rows("SELECT DISTINCT CAST(payload AS TEXT) ->> '$.offerPeriod' FROM history_transaction")
                    == [["P1000000Y"]])
        }
    }

    @Test("each number, date and period out of its bounds is 400 at its member")
    func members() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let renewal = #""originalTransactionId":"1","productId":"monthly","autoRenewStatus":1,"signedDate":1"#
            func issued(_ more: String) -> String {
                Self.asking(
                    [Self.purchase(1)], more: #","issuedOffers":[{"offerId":"comeback","issuedAt":1\#(more)}]"#)
            }
            for (body, pointer) in [
                (Self.asking([Self.purchase(1, #","price":\#(Self.most)"#)]), "/history/transactions/0/price"),
                (Self.asking([Self.purchase(1, #","price":\#(Self.least)"#)]), "/history/transactions/0/price"),
                (Self.asking([Self.purchase(1, #","quantity":\#(Self.most)"#)]), "/history/transactions/0/quantity"),
                (
                    Self.asking([Self.purchase(1, #","revocationDate":\#(Self.most)"#)]),
                    "/history/transactions/0/revocationDate"
                ),
                (
                    Self.asking([Self.purchase(1, #","commitmentInfo":{"billingPeriodNumber":\#(Self.most)}"#)]),
                    "/history/transactions/0/commitmentInfo/billingPeriodNumber"
                ),
                (Self.asking([Self.purchase(1, #","offerPeriod":"P1M1Y""#)]), "/history/transactions/0/offerPeriod"),
                (Self.asking([Self.purchase(1, #","offerPeriod":"P101Y""#)]), "/history/transactions/0/offerPeriod"),
                (
                    Self.asking([Self.purchase(1)], [#"{\#(renewal),"offerPeriod":"P999999999D"}"#]),
                    "/history/renewalInfos/0/offerPeriod"
                ),
                (
                    Self.asking([Self.purchase(1)], [#"{\#(renewal),"renewalPrice":\#(Self.most)}"#]),
                    "/history/renewalInfos/0/renewalPrice"
                ),
                (issued(#","signings":\#(Self.most)"#), "/history/issuedOffers/0/signings"),
                (issued(#","signings":0"#), "/history/issuedOffers/0/signings"),
                (issued(#","expiresAt":\#(Self.most)"#), "/history/issuedOffers/0/expiresAt"),
                (#"{"customer":{"customerId":"a"},"signals":{"s":{"at":\#(Self.most)}}}"#, "/signals/s/at"),
                (#"{"customer":{"customerId":"a"},"signals":{"s":{"at":\#(Self.least)}}}"#, "/signals/s/at"),
                (#"{"customer":{"customerId":"a"},"asOf":\#(Self.least)}"#, "/asOf"),
            ] {
                let answer = try await service.decide(body)
                #expect(answer.status == 400, "\(body): \(answer.text)")
                #expect(answer.pointers == [pointer], "\(body)")
            }
            let attributes = try await service.ask(
                "PUT", "/v1/customers/attributes", token: try await service.token(.client),
                body: #"{"customer":{"customerId":"a"},"attributes":{"s":{"at":\#(Self.most)}}}"#)
            #expect(attributes.status == 400 && attributes.pointers == ["/attributes/s/at"], "\(attributes.text)")
        }
    }

    @Test("the greatest accepted numbers, dates and periods are decided")
    func greatest() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            for period in ["P100Y", "P1200M", "P36525D", "PT876600H", "PT1S"] {
                for (price, ends) in [("9007199254740991", "253402300799999"), ("-9007199254740991", "0")] {
                    let more = #","offerPeriod":"\#(period)","price":\#(price),"revocationDate":\#(ends)"#
                    let answer = try await service.decide(
                        Self.asking([Self.purchase(0, more), Self.purchase(1, more), Self.purchase(2, more)]))
                    #expect(answer.status == 200, "\(period): \(answer.text)")
                }
            }
        }
    }
}
