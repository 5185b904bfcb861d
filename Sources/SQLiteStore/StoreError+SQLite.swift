import CSQLite
import OfferStore

extension StoreError {
    /// What a connection says of the call that failed last.
    init(code: CInt, on connection: OpaquePointer?) {
        self.init(code: code, String(cString: sqlite3_errmsg(connection)))
    }

    /// - Parameter code: SQLite's, extended or not.
    init(code: CInt, _ message: String) {
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: self = .busy("another process holds the database")
        case SQLITE_READONLY, SQLITE_PERM: self = .readOnly("the database cannot be written: \(message)")
        case SQLITE_FULL: self = .full("the disk is full")
        case SQLITE_CORRUPT: self = .damaged("the database file is damaged: \(message)")
        case SQLITE_NOTADB: self = .unavailable("the database file is no SQLite database: it holds something else")
        // A sum or a step beyond 64 bits, which only numbers lead to that the service never writes.
        case SQLITE_ERROR where message == "integer overflow": self = .corrupt("a sum of its rows is beyond 64 bits")
        case SQLITE_CONSTRAINT where message.hasPrefix("cannot store REAL"):
            self = .corrupt("a number in it is beyond 64 bits: \(message)")
        case SQLITE_CONSTRAINT: self = .constraint(Self.constraintName(message))
        case SQLITE_CANTOPEN: self = .unavailable("the database file cannot be opened")
        default: self = .unavailable("the database failed: \(message)")
        }
    }

    /// `signature.nonce` of `UNIQUE constraint failed: signature.nonce`.
    private static func constraintName(_ message: String) -> String {
        if message.hasPrefix("FOREIGN KEY") { return "a foreign key" }
        guard let colon = message.firstRange(of: "failed: ") else { return message }
        return String(message[colon.upperBound...])
    }
}
