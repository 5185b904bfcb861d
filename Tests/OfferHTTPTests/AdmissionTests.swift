import OfferAPI
import OfferApplication
import Testing

@testable import OfferHTTP

@Suite("Admission of strangers")
struct AdmissionTests {
    private struct Broken: Error {}

    private func answer(_ admission: AsyncSemaphore, _ serve: () async throws -> Void = {}) async throws -> String {
        do {
            try await admission.run(serve)
            return "served"
        } catch let error as RequestError {
            return Problem(error)?.document.code.rawValue ?? ""
        }
    }

    @Test("so many are served at once, the next is told to come back, and a place is free however serving ended")
    func bounded() async throws {
        let admission = AsyncSemaphore(2, waiting: 0)
        let innermost = try await admission.run {
            try await admission.run { try await answer(admission) }
        }
        #expect(innermost == "busy")
        for _ in 0..<3 {
            await #expect(throws: Broken.self) { try await admission.run { throw Broken() } }
        }
        let third = try await admission.run { try await answer(admission) }
        #expect(third == "served")
    }
}
