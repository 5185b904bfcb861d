/// Why the store could not do what it was asked.
public enum StoreError: Error, Sendable, Hashable {
    /// Too many requests wait, or another process holds the database; trying again later can help.
    case busy(String)
    /// The file or its directory cannot be written.
    case readOnly(String)
    case full(String)
    /// The structure of the file is damaged: nothing in it can be relied on.
    case damaged(String)
    /// A row holds what it never should.
    case corrupt(String)
    /// The facts of some history cannot be read; they can be derived from it.
    case corruptFacts(String)
    /// The database was never migrated, or not by this version.
    case notMigrated(String)
    /// A newer version of the program has migrated the database.
    case newerThanThisVersion(String)
    /// A restore was interrupted, and there is no database in its place.
    case interrupted(String)
    /// A constraint of the schema refused a row; the text names it, such as `signature.nonce`.
    case constraint(String)
    /// The file cannot be opened, read or written.
    case unavailable(String)
    /// The ledger was about to be changed in a transaction without an author: a defect, see ``Ledger``.
    case unrecorded

    public var detail: String {
        switch self {
        case .corrupt(let detail), .corruptFacts(let detail): "the database is corrupt: \(detail)"
        case .busy(let detail), .readOnly(let detail), .full(let detail), .damaged(let detail),
            .notMigrated(let detail), .newerThanThisVersion(let detail), .interrupted(let detail),
            .unavailable(let detail):
            detail
        case .unrecorded: "the ledger cannot be changed without an audit event"
        case .constraint(let name): "the database refused a row that would break its constraint `\(name)`"
        }
    }

    public var hint: String? {
        switch self {
        case .busy: "try again in a moment"
        case .readOnly: "check the owner and the permissions of the database file and its directory"
        case .full: "free space on the disk that holds the database"
        case .damaged: "stop the service and restore the latest backup; `offerd doctor` shows what is broken"
        case .corrupt: "stop the service and restore the latest backup"
        case .corruptFacts: "run `offerd doctor --rebuild-facts`"
        case .notMigrated: "run `offerd migrate`"
        case .newerThanThisVersion: "run the newest version of offerd that ever used this database"
        case .interrupted: "run `offerd restore` again"
        case .constraint, .unrecorded: nil
        case .unavailable: "check the database's path, its permissions and its disk"
        }
    }
}

extension StoreError: CustomStringConvertible {
    public var description: String { detail }
}
