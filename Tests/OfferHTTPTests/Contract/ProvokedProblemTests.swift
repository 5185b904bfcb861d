import Foundation
import OfferAPI
import OfferApplication
import Testing

@testable import OfferModel

@Suite("Every problem code over a real socket")
struct ProvokedProblemTests {
    @Test("a code comes as a problem document with its status, and says what to do", arguments: ProvokedProblem.all)
    func provoked(_ problem: ProvokedProblem) async throws {
        // Short, so that `busy` does not wait five seconds for the lock.
        // A customer may be asked about as often as these tests do, but for the one that asks too often.
        let rates = RequestRates(RateLimits(customer: RateLimit(perSecond: 1, burst: 5)), clock: { 0 })
        try await ServiceFixture.run(patience: .milliseconds(100), rates: rates) { service in
            let answer = try await problem.provoke(service)
            #expect(answer.code == problem.code.rawValue, "\(answer.text)")
            #expect(answer.status == problem.code.status)
            #expect(answer.headers["content-type"] == "application/problem+json")
            #expect(answer.json["status"] as? Int == problem.code.status)
            #expect(answer.json["type"] as? String == "urn:offerd:problem:\(problem.code.rawValue)")
            #expect(answer.json["title"] as? String == problem.code.title)
            #expect((answer.json["detail"] as? String)?.isEmpty == false)
            #expect(answer.json["requestId"] as? String == answer.headers["x-request-id"])
            let retries = answer.headers["retry-after"].flatMap(Int.init) ?? 0
            #expect(
                (retries > 0) == [429, 503].contains(problem.code.status), "Retry-After goes with 429 and 503 only")
        }
    }

    @Test("every code is provoked")
    func everyCode() {
        #expect(Set(ProvokedProblem.all.map(\.code)) == Set(ProblemCode.allCases))
    }
}
