import Foundation
import LocalAppStore
import OfferAPI
import OfferApplication
import OfferTestSupport
import Synchronization
import Testing

@testable import OfferModel

@Suite("Golden sessions over a real socket")
struct GoldenSessionTests {
    /// Every call of the API on one service, after an issued offer, a further signing and a refusal of it.
    @Test("answers and decision records of a session are Tests/Goldens/session.txt, but for signatures and prose")
    func session() async throws {
        let session = Session()
        try await ServiceFixture.run(random: session) { service in
            try await service.applyCatalog()
            let (client, support) = (try await service.token(.client), try await service.token(.support))
            let lapsed = try service.lapsedCustomer("100")
            let issued = try await service.ask(
                "POST", "/v1/issued-offers", token: client, body: service.issueBody("comeback", lapsed))
            session.add("POST /v1/issued-offers", issued)
            let token = #","customer":{"appAccountToken":"0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"}"#
            for (name, body) in [
                ("stored", #"{"offerId":"comeback","customer":{"customerId":"somebody"}}"#),
                (
                    "fresh, both formats",
                    #"{"offerId":"comeback","fresh":true,"formats":["v1","v2"],"signedTransactions":["#
                        + "\"\(lapsed.signedTransactions[0])\"]\(token)}"
                ),
                ("not eligible", #"{"offerId":"trial","customer":{"originalTransactionId":"100"}}"#),
                ("undetermined", #"{"offerId":"trial","customer":{"customerId":"stranger"}}"#),
            ] {
                let answer = try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
                session.add("POST /v1/issued-offers, \(name)", answer)
            }
            let dryRun = try await service.ask(
                "POST", "/v1/decisions", token: support, body: #"{"customer":{"originalTransactionId":"100"}}"#)
            session.add("POST /v1/decisions, as support", dryRun)
            let id = try #require(issued.json["issuedOfferId"] as? String)
            let documents = ["GET /openapi.yaml", "GET /openapi.json", "GET /docs"]
            for call in AnsweredCall.all where !documents.contains(call.call) {
                session.add(call.call, try await call.ask(service, issuedOfferId: id))
            }
            for record in try service.rows("SELECT kind, offer_id, lower(hex(record)) FROM decision ORDER BY sequence")
            {
                session.add(record.joined(separator: " "))
            }
        }
        let difference = try Golden("session.txt").difference(from: session.text)
        #expect(difference == nil)
    }

    @Test("every problem document is one of Tests/Goldens/problems.txt, but for signatures and prose")
    func problems() async throws {
        let session = Session()
        for problem in ProvokedProblem.all {
            let rates = RequestRates(RateLimits(customer: RateLimit(perSecond: 1, burst: 5)), clock: { 0 })
            try await ServiceFixture.run(patience: .milliseconds(100), rates: rates, random: session) { service in
                session.add(problem.code.rawValue, try await problem.provoke(service))
            }
        }
        let difference = try Golden("problems.txt").difference(from: session.text)
        #expect(difference == nil)
    }
}

/// The recorded answers, and a source of ids that are the same each time.
private final class Session: RandomSource {
    private let state = Mutex((lines: [String](), generator: SeededGenerator(seed: 17)))

    func bytes(_ count: Int) throws -> [UInt8] {
        state.withLock { state in (0..<count).map { _ in .random(in: .min ... .max, using: &state.generator) } }
    }

    var text: String { state.withLock { $0.lines.joined(separator: "\n") + "\n" } }

    func add(_ line: String) {
        state.withLock { $0.lines.append(line) }
    }

    func add(_ call: String, _ answer: RawAnswer) {
        let headers = answer.headers.filter {
            !["date", "x-request-id", "offerd-scope", "content-length", "connection"].contains($0.key)
        }
        add("== \(call): \(answer.status)")
        add(headers.map { "\($0.key): \($0.value)" }.sorted().joined(separator: "\n"))
        add(Self.lasting(answer.text))
    }

    /// A body without signatures and digests, the claims of its JWS decoded, and without prose, which may change.
    private static func lasting(_ body: String) -> String {
        body.replacing(/eyJ([\w-]+)\.([\w-]+)\.[\w-]+/) { jws in
            "eyJ\(jws.output.1)".decodedBase64URL + String(jws.output.2).decodedBase64URL
        }
        .replacing(/"signature":"[^"]+"/) { _ in #""signature":"…""# }
        .replacing(/"requestId":"[^"]+"/) { _ in #""requestId":"…""# }
        .replacing(/"[0-9a-f]{64}"/) { _ in "\"…\"" }
        .replacing(/"(detail|hint|message|title|customerAnswer|sentence|change|bestReason)":"(?:[^"\\]|\\.)*"/) {
            "\"\($0.output.1)\":\"…\""
        }
    }
}

extension String {
    fileprivate var decodedBase64URL: String {
        let padded = replacing("-", with: "+").replacing("_", with: "/") + String(repeating: "=", count: -count & 3)
        return String(decoding: Data(base64Encoded: padded) ?? Data(), as: UTF8.self)
    }
}
