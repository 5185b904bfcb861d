import FoundationEssentials
import OfferModel

/// Finds what names a customer without belonging to one: nothing in the row says whose it is, so it is looked through.
///
/// Both searches go along the order of arrival, so that the one in the writing transaction reads only what is new.
struct PersonSearch {
    let customers: [CustomerNumber]
    let chain: [CustomerNumber]
    let scope: ScopeNumber
    let transaction: any StoreTransaction

    /// How many texts one statement looks for.
    private static let atOnce = 100

    /// Decisions about others that hold something of the customer: those that were made about them together, whose record
    /// tells of the aliases and attributes of both, those that name a signed identifier of the customer, and those about
    /// nobody known that were asked for by any identifier of theirs.
    ///
    /// - Parameter first: only those stored after that place.
    func decisions(after first: Int64) throws -> [Int64] {
        var found: Set<Int64> = []
        let needles = try needles()
        for start in stride(from: 0, to: needles.count, by: Self.atOnce) {
            let page = needles[start..<min(start + Self.atOnce, needles.count)]
            let conditions = page.indices.map { needles[$0].kind.condition("?\($0 - start + 3)") }
            let rows = try transaction.rows(
                Statement(
                    """
                    SELECT sequence FROM (
                        SELECT sequence, customer_id, body,
                            substr(body, instr(body, '"customers":[') + 13, \(Self.subjectLength)) AS subject
                        FROM decision
                        WHERE sequence > ?1 AND +scope_id = ?2 AND body_removed_at IS NULL
                        AND (customer_id IS NULL OR customer_id NOT IN (\(numbers)))
                    ) WHERE \(conditions.joined(separator: " OR "))
                    """, values: [.integer(first), scope.storedValue] + page.map(\.text.storedValue)))
            for row in rows { found.insert(try row.value(0)) }
        }
        return found.sorted()
    }

    /// A text that a decision's record is searched for.
    private struct Needle {
        enum Kind {
            /// A number among those of the customers whom the decision is about.
            case subject
            /// A text anywhere.
            case named
            /// A text in a decision about nobody known.
            case asked

            func condition(_ place: String) -> String {
                switch self {
                case .subject: "instr(',' || substr(subject, 1, instr(subject, ']') - 1) || ',', \(place)) > 0"
                case .named: "instr(body, \(place)) > 0"
                case .asked: "(customer_id IS NULL AND instr(body, \(place)) > 0)"
                }
            }
        }

        let kind: Kind
        let text: String
    }

    /// Room for the numbers of the most customers that one subject may have.
    private static let subjectLength = 400

    /// A record is JSON with sorted keys. An alias is looked for where it is one, because it may be any word.
    private func needles() throws -> [Needle] {
        var needles = chain.map { Needle(kind: .subject, text: ",\($0.rawValue),") }
        needles += try values(of: "customer_identifier").map { Needle(kind: .named, text: try Self.json($0.value)) }
        for alias in try values(of: "customer_alias") {
            let value = try Self.json(alias.value)
            needles.append(Needle(kind: .asked, text: "\"\(alias.kind)\":\(value)"))
            needles.append(Needle(kind: .asked, text: "\"rolloutKey\":\(value)"))
        }
        return needles
    }

    /// A text as it stands in a record.
    private static func json(_ text: String) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return String(decoding: try encoder.encode(text), as: UTF8.self)
    }

    private var numbers: String { chain.map { "\($0.rawValue)" }.joined(separator: ", ") }

    /// The signatures of some decisions.
    func signatures(of decisions: [Int64]) throws -> [Int64] {
        try decisions.flatMap { decision in
            try transaction.rows(
                Statement(
                    """
                    SELECT s.sequence FROM decision d JOIN signature s ON s.decision_id = d.id WHERE d.sequence = ?1
                    """, decision)
            ).map { try $0.value(0, as: Int64.self) }
        }
    }

    /// Renewal infos that name the customer's Apple account, of subscriptions that belong to nobody yet.
    func renewalInfos(after first: Int64) throws -> [Int64] {
        try transaction.rows(
            Statement(
                """
                SELECT r.sequence FROM history_renewal_info r
                WHERE r.sequence > ?1 AND +r.scope_id = ?2 AND r.app_transaction_id IN (
                    SELECT value FROM customer_identifier WHERE kind = 'appTransactionId'
                    AND customer_id IN (\(Statement.placeholders(chain.count, after: 2)))
                ) AND NOT EXISTS (
                    SELECT 1 FROM customer_identifier i WHERE i.scope_id = r.scope_id
                    AND i.kind = 'originalTransactionId' AND i.value = r.original_transaction_id
                )
                """, values: [.integer(first), scope.storedValue] + chain.map(\.storedValue))
        ).map { try $0.value(0) }
    }

    /// How many others have an alias of the customer.
    func sharing() throws -> Int {
        try transaction.row(
            Statement(
                """
                SELECT COUNT(DISTINCT o.customer_id) FROM customer_alias a
                JOIN customer_alias o ON o.scope_id = a.scope_id AND o.kind = a.kind AND o.value = a.value
                JOIN customer c ON c.id = o.customer_id
                WHERE c.merged_into IS NULL AND a.customer_id IN (\(Statement.placeholders(chain.count)))
                AND o.customer_id NOT IN (\(numbers))
                """, values: chain.map(\.storedValue))
        )?.value(0) ?? 0
    }

    private func values(of table: String) throws -> [(kind: String, value: String)] {
        try transaction.rows(
            Statement(
                """
                SELECT DISTINCT kind, value FROM \(table) WHERE scope_id = ?1
                AND customer_id IN (\(Statement.placeholders(chain.count, after: 1)))
                """, values: [scope.storedValue] + chain.map(\.storedValue))
        ).map { (kind: try $0.value(0), value: try $0.value(1)) }
    }
}
