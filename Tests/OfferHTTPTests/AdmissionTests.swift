import OfferAPI
import Testing

@testable import OfferHTTP

@Suite("Admission of strangers")
struct AdmissionTests {
    private struct Broken: Error {}

    private func answer(_ admission: Admission, _ serve: () async throws -> Void = {}) async throws -> String {
        do {
            try await admission.admit(serve)
            return "served"
        } catch let problem as Problem {
            return problem.code.rawValue
        }
    }

    @Test("so many are served at once, the next is told to come back, and a place is free however serving ended")
    func bounded() async throws {
        let admission = Admission(limit: 2)
        let innermost = try await admission.admit {
            try await admission.admit { try await answer(admission) }
        }
        #expect(innermost == "busy")
        for _ in 0..<3 {
            await #expect(throws: Broken.self) { try await admission.admit { throw Broken() } }
        }
        let third = try await admission.admit { try await answer(admission) }
        #expect(third == "served")
    }
}
