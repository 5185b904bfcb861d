import Foundation
import OfferAPI
import OfferModel
import Testing

@Suite("Every problem code over a real socket")
struct ProvokedProblemTests {
    @Test("a code comes as a problem document with its status, and says what to do", arguments: ProvokedProblem.all)
    func provoked(_ problem: ProvokedProblem) async throws {
        // Short, so that `busy` does not wait five seconds for the lock.
        try await ServiceFixture.run(patience: .milliseconds(100)) { service in
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
            #expect((retries > 0) == (problem.code.status == 503), "Retry-After goes with 503 and nothing else")
        }
    }

    @Test("every code is provoked, but for those that come with other work")
    func everyCode() {
        let later = ["rate-limited"]
        let expected = Set(ProblemCode.allCases.map(\.rawValue)).subtracting(later)
        #expect(Set(ProvokedProblem.all.map(\.code.rawValue)) == expected)
    }
}
