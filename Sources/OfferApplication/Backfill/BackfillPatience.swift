import AppStoreServer
import OfferModel

/// How a work that nobody waits for gets on with Apple's limits: it waits as long as Apple wants.
public struct RetryPolicy: Sendable {
    private let sleep: @Sendable (_ milliseconds: Int64) async throws -> Void
    private let onWait: @Sendable (AppStoreFailure) -> Void

    /// A patience by its parts.
    ///
    /// - Parameters:
    ///   - sleep: waits, and throws `CancellationError` as soon as the task is cancelled.
    ///   - onWait: told before each wait.
    public init(
        sleep: @escaping @Sendable (_ milliseconds: Int64) async throws -> Void,
        onWait: @escaping @Sendable (AppStoreFailure) -> Void
    ) {
        self.sleep = sleep
        self.onWait = onWait
    }

    /// Asks until Apple's limits let an answer through.
    ///
    /// - Throws: `CancellationError`, and what asking throws for another reason.
    func ask<Answer: Sendable>(_ question: () async throws -> Answer) async throws -> Answer {
        while true {
            do {
                return try await question()
            } catch RequestError.appStoreFailed(let failure) {
                switch failure.error.code {
                case .cancelled: throw CancellationError()
                case .rateLimited:
                    onWait(failure)
                    try await sleep(Int64(failure.secondsToWait) * Instant.Duration.second)
                default: throw RequestError.appStoreFailed(failure)
                }
            }
        }
    }
}
