import UnixSignals

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
