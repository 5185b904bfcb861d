import Synchronization

/// How many requests without a key are served at once; the next is told to come back.
///
/// They are counted once their bodies are there, so that strangers can neither take more of the writer's queue than that
/// many places from callers with a key, nor keep places by sending slowly. How many bodies are on their way at once is
/// bounded by the connections.
final class Admission: Sendable {
    private let limit: Int
    private let served = Mutex(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// Serves a request if there is room for it.
    ///
    /// - Throws: ``Problem`` `busy`, and what serving it throws.
    func admit<Answer>(_ serve: () async throws -> Answer) async throws -> Answer {
        let isAdmitted = served.withLock { served in
            guard served < limit else { return false }
            served += 1
            return true
        }
        guard isAdmitted else { throw Problem.busy }
        defer { served.withLock { $0 -= 1 } }
        return try await serve()
    }
}
