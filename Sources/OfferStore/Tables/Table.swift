/// A table of the store: each column once, with everything that depends on it.
///
/// From the list follow the schema of every engine, the statements that insert and read whole rows, how the audit covers
/// a row, what an erasure and retention do to it, and what an export shows. docs/privacy.md and docs/ledger.md have the
/// same lists, and tests compare them.
public struct Table: Sendable {
    public enum Form: Sendable {
        case rows
        /// The rows are kept in the order of the primary key, which is in ``constraints``.
        case byKey
        /// The engine refuses to change or delete a row.
        case appendOnly
    }

    public let name: String
    public let columns: [Column]
    /// What holds of several columns together, in SQL.
    public let constraints: [String]
    /// Complete statements.
    public let indexes: [String]
    public let form: Form
    /// The names of the columns, as a statement lists them.
    let list: String
    /// Inserts all the values of a ``TableRow`` with the same columns. A statement with values of its own names its columns.
    let insertSQL: String
    /// The columns or the expression by which the audit names a row; `nil` if it covers none.
    let ledgerKey: String?
    /// The condition for rows `t` about a customer: `?1` is the scope, `?*` the list of customers.
    let condition: String?

    /// - Parameter erasure: what an erasure does to a column that does not say it itself; `nil` if the table is about
    ///   no customer.
    init(
        _ name: String, _ columns: [Column], _ constraints: [String] = [], indexes: [String] = [], form: Form = .rows,
        ledgerKey: String? = nil, erasure: ErasureAction? = nil, of condition: String? = nil
    ) {
        self.name = name
        self.columns = columns.map { column in
            var column = column
            column.erasure = erasure == nil ? ErasureAction.none : column.rules.erasure ?? erasure ?? .kept
            return column
        }
        self.constraints = constraints
        self.indexes = indexes
        self.form = form
        list = columns.map(\.name).joined(separator: ", ")
        insertSQL = "INSERT INTO \(name) (\(list)) VALUES (\(Statement.placeholders(columns.count)))"
        self.ledgerKey = ledgerKey
        self.condition = condition
    }

    /// The columns that an erasure leaves a keyed digest in.
    var digested: [String] { columns.filter { $0.erasure == .digested }.map(\.name) }

    /// The columns whose texts retention removes.
    func columns(removedWith subject: RetentionSubject? = nil) -> [String] {
        columns.filter { $0.rules.retention != nil && (subject == nil || $0.rules.retention == subject) }.map(\.name)
    }
}

/// The type of a column. Times are milliseconds since 1970, UUIDs lower-case text, yes and no 1 and 0.
public enum StoredType: String, Sendable {
    case integer = "INTEGER"
    case text = "TEXT"
    case blob = "BLOB"
}

/// What an erasure does to a column.
public enum ErasureAction: String, Sendable, Hashable, CaseIterable {
    /// It stays: an internal id, a date, a count, or a name of the catalog's.
    case kept
    /// A keyed digest replaces the value.
    case digested
    /// The value is removed without a replacement.
    case emptied
    /// The row is deleted.
    case deleted
    /// No row of the table is about a customer.
    case none
}

/// The terms of retention that a text is removed by.
enum RetentionSubject: Sendable {
    case signatures
    case refusals
}

public struct Column: Sendable {
    public let name: String
    public let type: StoredType
    public let isRequired: Bool
    let rules: ColumnRules
    public fileprivate(set) var erasure = ErasureAction.kept

    /// - Parameter type: the Swift type of its values; an optional one may be null.
    init<Value: Storable>(_ name: String, _ type: Value.Type, _ rules: ColumnRules = "") {
        self.name = name
        self.type = Value.storedType
        isRequired = rules.isRequired ?? !Value.isOptional
        self.rules = rules
    }

    public var isPrimaryKey: Bool { rules.isPrimaryKey }
    public var constraint: String { rules.constraint }

    static let scope = Column("scope_id", ScopeNumber.self, "REFERENCES scope (id)")
    static let customer = Column("customer_id", CustomerNumber.self, "REFERENCES customer (id)")
    static let sequence = Column("sequence", Int64.self, .key)
}

/// What holds of a column besides its type; by default what its SQL says.
struct ColumnRules: Sendable, ExpressibleByStringLiteral {
    /// How the audit covers a column (docs/ledger.md).
    enum Coverage: Sendable, Hashable {
        /// It never changes, unless it is erased.
        case fixed
        /// It changes, each time with an event that has it as this member.
        case state(member: String)
    }

    /// SQL after the type.
    var constraint = ""
    var isPrimaryKey = false
    var isRequired: Bool?
    var coverage: Coverage?
    /// Whether the audit has a keyed digest of the value, because it may be erased.
    var isErasable = false
    var erasure: ErasureAction?
    var retention: RetentionSubject?

    init(stringLiteral constraint: String) { self.constraint = constraint }

    private init(
        _ constraint: String, _ coverage: Coverage? = nil, isErasable: Bool = false, erasure: ErasureAction? = nil,
        retention: RetentionSubject? = nil
    ) {
        self.constraint = constraint
        self.coverage = coverage
        self.isErasable = isErasable
        self.erasure = erasure
        self.retention = retention
    }

    static let key = key("")

    static func key(_ constraint: String) -> Self {
        var rules = Self(constraint)
        rules.isPrimaryKey = true
        return rules
    }

    static let fixed = fixed("")

    static func fixed(_ constraint: String) -> Self { Self(constraint, .fixed) }

    static let erasable = erasable("")

    static func erasable(
        _ constraint: String = "", erasure: ErasureAction = .digested, retention: RetentionSubject? = nil
    ) -> Self {
        Self(constraint, .fixed, isErasable: true, erasure: erasure, retention: retention)
    }

    static func state(_ member: String, _ constraint: String = "") -> Self {
        Self(constraint, .state(member: member))
    }

    static func erasableState(_ member: String) -> Self {
        Self("", .state(member: member), isErasable: true, erasure: .digested)
    }

    static func erased(_ erasure: ErasureAction, _ constraint: String = "") -> Self {
        Self(constraint, erasure: erasure)
    }

    /// Never null, whatever its type.
    var required: Self {
        var rules = self
        rules.isRequired = true
        return rules
    }
}
