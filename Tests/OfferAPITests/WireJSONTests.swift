import Foundation
import OfferAPI
import OfferModel
import Testing

@Suite("The JSON of answers")
struct WireJSONTests {
    @Test("members are sorted, slashes plain and times whole milliseconds")
    func written() throws {
        let entry = TimelineEntry(.issued, at: Instant(milliseconds: 1_764_547_200_123), "a/b")
        #expect(
            String(decoding: try WireJSON.encode(entry), as: UTF8.self)
                == #"{"at":1764547200123,"kind":"issued","message":"a/b"}"#)
    }

    @Test("a problem document has the members of the contract")
    func problem() throws {
        var body = ProblemBody(
            code: .ifMatchRequired, detail: "d", hint: "h", instance: "/v1/catalog",
            requestId: "00000000-0000-4000-8000-000000000000")
        body.errors = [ProblemErrorBody(path: "offers[2]", line: 3, column: 4, code: "c", detail: "e")]
        #expect(
            String(decoding: try WireJSON.encode(body), as: UTF8.self)
                == #"{"code":"if-match-required","detail":"d","errors":[{"code":"c","column":4,"detail":"e","line":3,"#
                + #""path":"offers[2]"}],"hint":"h","instance":"/v1/catalog","#
                + #""requestId":"00000000-0000-4000-8000-000000000000","status":428,"#
                + #""title":"the request must name the revision it changes","type":"urn:offerd:problem:if-match-required"}"#
        )
        #expect(try WireJSON.decode(ProblemBody.self, from: try WireJSON.encode(body)) == body)
    }

    @Test("an answer with members of a later version is still read")
    func laterMembers() throws {
        let bytes = Array(#"{"status":"ok","since":5}"#.utf8)
        #expect(try WireJSON.decode(HealthBody.self, from: bytes) == HealthBody())
    }

    @Test("an offer without its standing, or with one that this version does not know, is no answer of ours")
    func standing() throws {
        func read(_ standing: String) throws -> OfferSummary {
            let json =
                #"{"offerId":"a","paused":false,"priority":0,\#(standing)"status":"active","type":"promotional"}"#
            return try WireJSON.decode(OfferSummary.self, from: Array(json.utf8))
        }
        #expect(try read(#""standing":"exhausted","#).standing == .exhausted)
        for bad in ["", #""standing":null,"#, #""standing":"","#, #""standing":"Running","#, #""standing":3,"#] {
            #expect(throws: RequestFault.self, "\(bad)") { try read(bad) }
        }
    }

    @Test("every problem code has the status of the contract")
    func statuses() {
        let expected: [String: Int] = [
            "invalid-request": 400, "product-required": 400, "unauthenticated": 401, "forbidden": 403,
            "address-not-allowed": 403, "unproven-customer": 403,
            "customer-token-refused": 403,
            "not-eligible": 403, "not-found": 404, "unknown-offer": 404, "no-catalog": 404, "unknown-customer": 404,
            "unknown-issued-offer": 404, "unknown-decision": 404, "unknown-event": 404, "no-webhook": 409,
            "unknown-revision": 404, "method-not-allowed": 405,
            "ambiguous-customer": 409,
            "idempotency-conflict": 409, "proven-alias": 409,
            "unknown-grant": 404, "grant-exists": 409, "grant-used": 409, "grant-limit-reached": 429,
            "catalog-changed": 412, "too-large": 413, "unsupported-media-type": 415, "invalid-catalog": 422,
            "signed-data-refused": 422,
            "undetermined": 422, "if-match-required": 428, "rate-limited": 429, "internal": 500, "busy": 503,
            "clock-behind": 503,
            "not-ready": 503,
        ]
        #expect(
            Dictionary(uniqueKeysWithValues: ProblemCode.allCases.map { ($0.rawValue, $0.status) }) == expected)
        #expect(Set(ProblemCode.allCases.map(\.title)).count == ProblemCode.allCases.count)
    }
}
