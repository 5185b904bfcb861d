import Foundation
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferAPI

@Suite("Requests in the plain form")
struct FastPathReaderTests {
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

    @Test("what backends write is read in the plain form, and means what the strict reader makes of it")
    func plain() throws {
        func check<Value: FastPathReadable & Decodable & Equatable>(_ type: Value.Type, _ text: String) throws {
            let plain = try #require(FastPathReader.read(type, from: Array(text.utf8)), "\(text)")
            #expect(plain == (try JSONDecoder().decode(type, from: Data(text.utf8))), "\(text)")
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
        "what is not plain is left to the strict reader, which reads it or says what is wrong",
        arguments: [
            "", "{", "{}", "[]", "null", #"{"offerId":"a","customer":{}} x"#,
            #"{"offerId":"a","offerId":"a","customer":{}}"#, #"{"offerId":"a","customer":{},"extra":1}"#,
            #"{"offerId":null,"customer":{}}"#, #"{"offerId":"a","customer":{},"fresh":null}"#,
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
        #expect(FastPathReader.read(IssueRequest.self, from: Array(text.utf8)) == nil)
    }

    @Test("more values than are allowed are left to the strict reader, which refuses them")
    func manyValues() throws {
        let body = { (count: Int) in
            Array("{\"offerIds\":[\(repeatElement("\"a\"", count: count).joined(separator: ","))]}".utf8)
        }
        // The object and the list are values too.
        #expect(FastPathReader.read(Inquiry.self, from: body(8), values: 10)?.offerIds?.count == 8)
        #expect(FastPathReader.read(Inquiry.self, from: body(9), values: 10) == nil)
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
        #expect(FastPathReader.read(IssueRequest.self, from: bytes) == nil)
    }

    @Test("however a request is damaged, the plain form never takes what the strict reader refuses")
    func damaged() throws {
        var random = SeededGenerator(seed: 350_001)
        let pieces = Array(#"{}[]",:\ 0159-+.eEtfn"#.utf8) + [0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xFF]
        func strict<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
            guard (try? WireJSON.check(bytes, .request(values: .max))) != nil else { return nil }
            return try? JSONDecoder().decode(type, from: Data(bytes))
        }
        func check<Value: FastPathReadable & Decodable & Equatable>(_ type: Value.Type, _ bytes: [UInt8]) {
            guard let plain = FastPathReader.read(type, from: bytes) else { return }
            #expect(
                strict(type, bytes) == plain, "seed \(random.seed): \(String(decoding: bytes, as: UTF8.self))")
        }
        for text in Self.requests {
            for _ in 0..<2_000 {
                var bytes = Array(text.utf8)
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bytes[place] = pieces.randomElement(using: &random) ?? 0
                    case 1: bytes.insert(pieces.randomElement(using: &random) ?? 0, at: place)
                    case 2: bytes.remove(at: place)
                    default:
                        let end = min(bytes.count, place + Int.random(in: 1...24, using: &random))
                        bytes.insert(contentsOf: bytes[place..<end], at: place)
                    }
                }
                check(IssueRequest.self, bytes)
                check(Inquiry.self, bytes)
                check(TransactionsRequestBody.self, bytes)
                check(StatusRequestBody.self, bytes)
            }
        }
    }
}
