import JSON
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferAPI

@Suite("Requests are read quickly or thoroughly")
struct WireReaderTests {
    static let requests = [
        #"{"offerId":"comeback","customer":{"originalTransactionId":"100000000064"},"formats":["v2","v1"]}"#,
        #"""
        {"offerId":"a","productId":"p","customer":{"appTransactionId":"7","appAccountToken":"0A1b0000-0000-4000-8000-000000000000",
         "customerId":"é☃"},"formats":["v1"],"fresh":true,"signals":{"interactions":50,"segment":"gold","isNew":false},
         "signedTransactions":["e30.e30.e30"],"signedRenewalInfo":[],"signedAppTransaction":"x","historyComplete":false,
         "request":{"appVersion":"1.2","osVersion":"18.0","locale":"de_DE"}}
        """#,
        #"{"customer":{"customerId":"c"},"offerIds":["a","b"],"productId":"p","signals":{"n":0},"request":{}}"#,
        #"{"signedTransactions":["a.b.c","d.e.f"],"signedRenewalInfo":["g.h.i"],"historyComplete":true}"#,
        #" { "signedTransactions" : [ ] , "customer" : { "customerId" : "c" } } "#,
        #"{"customers":[{"customerId":"c"},{"originalTransactionId":"1","appTransactionId":"2"},{}]}"#,
        #"{"offerId":"a","signedTransactions":["a.b.c"]}"#,
        #"{"signedTransactions":["a.b.c"],"signedRenewalInfo":["g.h.i"],"signedAppTransaction":"x","fresh":true}"#,
        #"{"signedTransactions":["a.b.c"],"signedRenewalInfo":["g.h.i"],"signedAppTransaction":"x"}"#,
    ]

    /// What the thorough way makes of a text; `nil` if it refuses it.
    private static func thorough<Value: WireValue>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
        guard (try? WireJSON.check(bytes, .request(values: .max))) != nil else { return nil }
        return try? WireReader.thorough(type, from: bytes, isStrict: true)
    }

    @Test("what backends write is read quickly, and means what the thorough way makes of it")
    func plain() throws {
        func check<Value: WireValue>(_ type: Value.Type, _ text: String) throws {
            let plain = try #require(WireReader.quick(type, from: Array(text.utf8)), "\(text)")
            #expect(plain == Self.thorough(type, Array(text.utf8)), "\(text)")
        }
        try check(IssueRequest.self, Self.requests[0])
        try check(IssueRequest.self, Self.requests[1])
        try check(Inquiry.self, Self.requests[2])
        try check(TransactionsRequestBody.self, Self.requests[3])
        try check(TransactionsRequestBody.self, Self.requests[4])
        try check(StatusRequestBody.self, Self.requests[5])
        try check(IssueRequest.self, Self.requests[6])
        try check(Inquiry.self, Self.requests[7])
        try check(StatusRequestBody.self, Self.requests[8])
    }

    @Test(
        "what is not plain is left to the thorough way, which reads it or says what is wrong",
        arguments: [
            "", "{", "{}", "[]", "null", #"{"offerId":"a","customer":{}} x"#,
            #"{"offerId":"a","offerId":"a","customer":{}}"#, #"{"offerId":"a","customer":{},"extra":1}"#,
            #"{"offerId":null,"customer":{}}"#, #"{"\u006ffferId":"a"}"#, #"{"offerId":"a","extra":}"#,
            #"{"offerId":"a","extra":,"fresh":true}"#,
            #"{"offerId":"\u0061","customer":{}}"#, #"{"offerId":"a","customer":{},"fresh":1}"#,
            #"{"offerId":"a","customer":{},"signals":{"n":1.5}}"#, #"{"offerId":"a","customer":{},"signals":{"n":01}}"#,
            #"{"offerId":"a","customer":{},"signals":{"n":-1}}"#, #"{"offerId":"a","customer":{},"signals":{"n":1e3}}"#,
            #"{"offerId":"a","customer":{},"signals":{"n":1,"n":1}}"#, #"{"offerId":"a","customer":{},}"#,
            #"{"offerId":"a","customer":{},"signals":{"n":{"at":1}}}"#, #"{"offerId":"a" "customer":{}}"#,
            #"{"offerId":"a","customer":{},"formats":["v3"]}"#, #"{"offerId":"a","customer":{},"formats":["v1",]}"#,
            #"{"offerId":"a","customer":{"appAccountToken":"x"}}"#, "{\"offerId\":\"a\u{7}\",\"customer\":{}}",
            #"{"offerId":"a","customer":{},"signals":{"n":12345678901234567890}}"#,
        ])
    func leftAlone(text: String) {
        #expect(WireReader.quick(IssueRequest.self, from: Array(text.utf8)) == nil)
    }

    @Test("a member that is null is read quickly where it may be absent")
    func null() throws {
        let text = #"{"offerId":"a","productId":null,"formats":null,"fresh":null,"signals":null,"request":null}"#
        #expect(WireReader.quick(IssueRequest.self, from: Array(text.utf8)) == IssueRequest { $0.offerId = "a" })
    }

    @Test("more values than are allowed are left to the thorough way, which refuses them")
    func manyValues() throws {
        let body = { (count: Int) in
            Array("{\"offerIds\":[\(repeatElement("\"a\"", count: count).joined(separator: ","))]}".utf8)
        }
        // The object and the list are values too.
        #expect(WireReader.quick(Inquiry.self, from: body(8), values: 10)?.offerIds?.count == 8)
        #expect(WireReader.quick(Inquiry.self, from: body(9), values: 10) == nil)
        #expect(try WireJSON.decodeRequest(Inquiry.self, from: body(8), values: 10).offerIds?.count == 8)
        let fault = #expect(throws: RequestFault.self) {
            try WireJSON.decodeRequest(Inquiry.self, from: body(9), values: 10)
        }
        #expect(fault?.errors.first?.code == "tooMany")
    }

    @Test("bytes that are not UTF-8 are not plain")
    func notUTF8() {
        var bytes = Array(Self.requests[0].utf8)
        bytes[bytes.firstIndex(of: UInt8(ascii: "k")) ?? 0] = 0xFF
        #expect(WireReader.quick(IssueRequest.self, from: bytes) == nil)
    }

    @Test("however a request is damaged, the quick way takes nothing that the thorough way refuses or reads otherwise")
    func damaged() throws {
        var random = SeededGenerator(seed: 350_001)
        let pieces = Array(#"{}[]",:\ 0159-+.eEtfn"#.utf8) + [0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xFF]
        func check<Value: WireValue>(_ type: Value.Type, _ bytes: [UInt8]) {
            guard let plain = WireReader.quick(type, from: bytes) else { return }
            #expect(
                Self.thorough(type, bytes) == plain,
                "seed \(random.seed): \(String(decoding: bytes, as: UTF8.self))")
        }
        for text in Self.requests {
            for _ in 0..<2_000 {
                var bytes = Array(text.utf8)
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let index = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bytes[index] = pieces.randomElement(using: &random) ?? 0
                    case 1: bytes.insert(pieces.randomElement(using: &random) ?? 0, at: index)
                    case 2: bytes.remove(at: index)
                    default:
                        let end = min(bytes.count, index + Int.random(in: 1...24, using: &random))
                        bytes.insert(contentsOf: bytes[index..<end], at: index)
                    }
                }
                check(IssueRequest.self, bytes)
                check(Inquiry.self, bytes)
                check(TransactionsRequestBody.self, bytes)
                check(StatusRequestBody.self, bytes)
            }
        }
    }

    @Test("every number is read for what it is, however it is written")
    func numbers() throws {
        func signals(_ text: String) -> [String: FactValue]? {
            let json = Array(#"{"offerId":"a","signals":{"n":\#(text)}}"#.utf8)
            return (try? WireJSON.decodeRequest(IssueRequest.self, from: json))?.signals
        }
        for (text, number) in [
            ("0", 0), ("-0", 0), ("-1", -1), ("1.5", 1.5), ("1e3", 1_000), ("1E-1", 0.1), ("-2.5e+2", -250),
            ("123456789012345", 123_456_789_012_345), ("9007199254740993", 9_007_199_254_740_992),
            ("1e300", 1e300), ("18446744073709551616", 0x1p64),
        ] as [(String, Double)] {
            #expect(signals(text) == ["n": .number(number)], "\(text)")
        }
        func revision(_ text: String) throws -> Int? {
            try WireJSON.decodeRequest(ReplayRequestBody.self, from: Array(#"{"catalogRevision":\#(text)}"#.utf8))
                .catalogRevision
        }
        #expect(try revision("9223372036854775807") == .max)
        #expect(try revision("-9223372036854775808") == .min)
        #expect(try revision("3.0") == 3)
        #expect(try revision("2e2") == 200)
        for text in ["9223372036854775808", "1.5", "1e999", "1e18"] {
            let fault = #expect(throws: RequestFault.self) { try revision(text) }
            #expect(fault?.errors.map(\.pointer) == ["/catalogRevision"], "\(text)")
            #expect(fault?.errors.map(\.detail) == ["this must be a whole number of at most 64 bits"], "\(text)")
        }
    }

    @Test("texts and names with escapes are read as the characters they write")
    func escapes() throws {
        let text = #" {"\u006ffferId" : "a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00" , "signals" : {"\u0061" : "]},"}} "#
        let request = try WireJSON.decodeRequest(IssueRequest.self, from: Array(text.utf8))
        #expect(request.offerId.rawValue == "a\"\\/\u{8}\u{C}\n\r\té😀")
        #expect(request.signals == ["a": .text("]},")])
    }

    @Test("a name that Swift holds for another, of other bytes, is given twice")
    func equalNames() {
        for name in ["\u{212A}", #"\u212A"#] {
            let fault = #expect(throws: RequestFault.self) {
                try WireJSON.decodeRequest(
                    IssueRequest.self, from: Array(#"{"offerId":"a","signals":{"K":1,"\#(name)":2}}"#.utf8))
            }
            #expect(fault?.errors.map(\.code) == ["duplicateMember"])
        }
    }

    @Test("an answer is read with members of a later version, whatever they hold, and not without one it must have")
    func answers() throws {
        let text = #"{"later":[{"a":"}\\\""},-1.5e3,null],"items":[{"actor":"k","createdAt":5,"revision":2,"x":{}}]}"#
        let page = try WireJSON.decode(PageBody<AppliedRevision>.self, from: Array(text.utf8))
        #expect(page.items.map(\.revision) == [2])
        #expect(page.items.map(\.createdAt) == [Instant(milliseconds: 5)])
        for (text, pointer) in [
            (#"{"next":"i1"}"#, "/items"), (#"{"items":[{"actor":"k","createdAt":5}]}"#, "/items/0/revision"),
            (#"{"items":[{"actor":1,"createdAt":5,"revision":2}]}"#, "/items/0/actor"),
        ] {
            let fault = #expect(throws: RequestFault.self) {
                try WireJSON.decode(PageBody<AppliedRevision>.self, from: Array(text.utf8))
            }
            #expect(fault?.errors.map(\.pointer) == [pointer], "\(text)")
        }
    }
}
