import OfferApplication

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
            throw CommandFailure.failed(failure.detail, hints: (failure.hint.map { [$0] } ?? []) + [goingOn])
        }
        throw CommandFailure.failed("stopped: " + BackfillText.progress(try left(), of: count), hints: [goingOn])
    }

    private static let goingOn = "the same command goes on where it stopped"

    /// Whether a state is of the work that is asked for.
    ///
    /// - Throws: ``CommandFailure`` if it is of another.
    static func check(_ left: BackfillState, continues asked: BackfillState, _ file: BackfillStateFile) throws {
        guard (left.app, left.environment, left.source) == (asked.app, asked.environment, asked.source) else {
            throw CommandFailure.configuration(
                "`\(file.path)` is the state of another backfill, which is not done: \(left.app) in "
                    + "\(left.environment), \(left.source)",
                hints: ["end that one, name another file with `--state`, or delete it to give that one up"])
        }
    }
}
