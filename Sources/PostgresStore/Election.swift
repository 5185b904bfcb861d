import OfferStore
import Synchronization

/// Which of the processes on a database does what only one has to do: the holder of the one row of `elected`, for a term
/// that it renews. A process that ends, stops or loses its connection is followed by another within ten seconds.
///
/// The server's clock decides, so that processes need not agree on the time.
final class Election: Sendable {
    private static let renewal = Duration.seconds(2)

    private struct Known {
        var isElected: Bool
        var at: ContinuousClock.Instant
    }

    private let name: String
    private let term: Duration
    private let known = Mutex<Known?>(nil)

    init(name: String, term: Duration) {
        self.name = name
        self.term = term
    }

    /// What was learned a moment ago; `nil` if it has to be asked again.
    var recent: Bool? {
        known.withLock { known in
            guard let known, ContinuousClock.now - known.at < Self.renewal else { return nil }
            return known.isElected
        }
    }

    /// What was learned last.
    var last: Bool { known.withLock { $0?.isElected ?? false } }

    /// Whether this process was elected, and its term has not passed since.
    var isInTerm: Bool {
        known.withLock { known in known.map { $0.isElected && ContinuousClock.now - $0.at < term } ?? false }
    }

    func note(_ isElected: Bool) { known.withLock { $0 = Known(isElected: isElected, at: .now) } }

    func mayBeElected(_ transaction: any StoreTransaction) throws -> Bool {
        try transaction.row(
            Statement("SELECT 1 FROM elected WHERE holder <> ?1 AND until >= clock_timestamp()", name)) == nil
    }

    /// Takes the term or renews it, unless another process has it.
    func stand(_ transaction: any StoreTransaction) throws -> Bool {
        let changes = try transaction.changes(
            by: Statement(
                """
                INSERT INTO elected (id, holder, until) VALUES (1, ?1, clock_timestamp() + interval '1 ms' * ?2)
                ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, until = excluded.until
                WHERE elected.holder = excluded.holder OR elected.until < clock_timestamp()
                """, name, Int64(term / .milliseconds(1))))
        return changes == 1
    }

    /// Ends the term of a process that stops, so that another need not wait for it.
    func resign(_ transaction: any StoreTransaction) throws {
        guard last else { return }
        _ = try transaction.changes(by: Statement("DELETE FROM elected WHERE holder = ?1", name))
    }
}
