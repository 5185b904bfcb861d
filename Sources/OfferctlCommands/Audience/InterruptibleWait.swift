import Foundation
import Synchronization

/// Lets SIGINT or SIGTERM end the wait for work of the server, so that the command can cancel it there. A second signal
/// ends the program.
enum InterruptibleWait {
    private static let isCaught = Atomic(false)

    /// - Returns: what it gave; `nil` if it was interrupted before its end.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        // Also so that the handler is not the first to need it.
        isCaught.store(false, ordering: .relaxed)
        let signals = [SIGINT, SIGTERM]
        let handlers = signals.map { number in
            signal(number) { number in
                signal(number, SIG_DFL)
                InterruptibleWait.isCaught.store(true, ordering: .relaxed)
            }
        }
        defer { for (number, handler) in zip(signals, handlers) { signal(number, handler) } }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                while !isCaught.load(ordering: .relaxed) { try await Task.sleep(for: .milliseconds(50)) }
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
