import CommandLineSupport
import OfferApplication
import UnixSignals

/// Why a backfill does not go on.
enum BackfillStop {
    /// Runs a work that a signal may stop and that a failure may end, and says how to go on.
    ///
    /// - Parameter left: how far it is then.
    /// - Throws: ``CommandFailure`` where it did not come to its end, and what the store throws.
    static func run(
        _ work: @escaping @Sendable () async throws -> BackfillState, of count: Int?, left: () throws -> BackfillState
    ) async throws -> BackfillState {
        do {
            if let end = try await Interruption.stoppable(work) { return end }
        } catch RequestError.appStoreFailed(let failure) {
            throw CommandFailure(.failed, failure.detail, hints: (failure.hint.map { [$0] } ?? []) + [goingOn])
        }
        throw CommandFailure(.failed, "stopped: " + BackfillText.progress(try left(), of: count), hints: [goingOn])
    }

    private static let goingOn = "the same command goes on where it stopped"

    /// Whether a state is of the work that is asked for.
    ///
    /// - Throws: ``CommandFailure`` if it is of another.
    static func check(_ left: BackfillState, continues asked: BackfillState, _ file: BackfillStateFile) throws {
        guard (left.app, left.environment, left.source) == (asked.app, asked.environment, asked.source) else {
            throw CommandFailure(
                .usage,
                "`\(file.path)` is the state of another backfill, which is not done: \(left.app) in "
                    + "\(left.environment), \(left.source)",
                hints: ["end that one, name another file with `--state`, or delete it to give that one up"])
        }
    }
}

/// Lets a long work be stopped by SIGINT or SIGTERM where its steps end, so that it can go on later.
enum Interruption {
    /// Runs a work, and cancels it at the first signal.
    ///
    /// - Returns: what it gave; `nil` if it was stopped before its end.
    /// - Throws: what it throws of itself.
    static func stoppable<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                for await _ in signals { break }
                return nil
            }
            if let first = try await group.next(), let value = first {
                group.cancelAll()
                return value
            }
            group.cancelAll()
            do {
                // It may have come to its end meanwhile.
                for try await rest in group { if let rest { return rest } }
            } catch is CancellationError {
                return nil
            }
            return nil
        }
    }
}
