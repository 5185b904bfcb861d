import GRDB
import OfferStore

/// What makes a commit survive the loss of power.
enum Durability {
    /// Asks for a write-ahead log that is flushed with every commit, and checks that it is so.
    ///
    /// The pool sets `synchronous` to NORMAL while it opens, after its own preparation hook, so it must be set here.
    static func establish(_ pool: DatabasePool) throws {
        try StoreError.mapping {
            try pool.writeWithoutTransaction { connection in
                try connection.execute(sql: "PRAGMA synchronous = FULL")
                let synchronous = try Int.fetchOne(connection, sql: "PRAGMA synchronous")
                let journal = try String.fetchOne(connection, sql: "PRAGMA journal_mode")
                guard synchronous == 2, journal == "wal" else {
                    throw StoreError.unavailable(
                        """
                        the database does not keep commits durable: synchronous \(synchronous ?? -1), \
                        journal \(journal ?? "unknown")
                        """)
                }
            }
        }
    }
}
