import JSON
import OfferModel

struct EventRow {
    let sequence: Int64
    let scope: ScopeNumber
    let occurredAt: Instant
    let type: EventType
    let customer: CustomerNumber?
    let data: [UInt8]
}

/// One of the tables whose rows are events.
struct EventRows {
    /// The table, as `t`.
    let table: String
    let date: String
    /// The type and the customer, and what its data is made of.
    let columns: String
    var join = ""
    /// A further condition for a row to be an event.
    var condition = ""
    let data: @Sendable (inout RowReader) throws -> [UInt8]

    /// The tables that have events of some types. Those of one scope are read type by type, so that an index has them
    /// in order.
    static func all(of types: Set<EventType>? = nil, in scope: ScopeNumber? = nil) -> [EventRows] {
        let wanted = EventType.allCases.filter { types?.contains($0) ?? true }
        let tables = wanted.compactMap { ledger[$0] }
        let others = wanted.filter { ledger[$0] == nil }
        guard !others.isEmpty else { return tables }
        return tables + (scope == nil ? [events(of: others)] : others.map { events(of: [$0]) })
    }

    /// The next events after a place.
    func read(
        _ transaction: any StoreTransaction, after sequence: Int64, in scope: ScopeNumber? = nil, limit: Int
    ) throws -> [EventRow] {
        let inScope = scope == nil ? "" : " AND t.scope_id = ?3"
        return try Statement(
            """
            SELECT t.sequence, t.scope_id, t.\(date), \(columns) FROM \(table) t \(join)
            WHERE t.sequence > ?1\(inScope)\(condition) ORDER BY t.sequence LIMIT ?2
            """,
            values: .of(sequence, limit) + (scope.map { .of($0) } ?? [])
        ).all(in: transaction) { row in
            EventRow(
                sequence: try row.next(), scope: try row.next(), occurredAt: try row.next(), type: try row.next(),
                customer: try row.next(), data: try data(&row))
        }
    }

    /// The places of the next rows with their dates, whether or not they are events.
    func dates(
        _ transaction: any StoreTransaction, after sequence: Int64, limit: Int
    ) throws -> [(Int64, Instant)] {
        try transaction.all(
            "SELECT t.sequence, t.\(date) FROM \(table) t WHERE t.sequence > ?1 ORDER BY t.sequence LIMIT ?2", sequence,
            limit)
    }
}

extension EventRows {
    /// The tables of the ledger and of notifications, each with the one type of its rows.
    private static let ledger: [EventType: EventRows] = [
        .offerIssued: issuedOffers, .offerRefused: refusals, .notificationReceived: notifications,
    ]

    private static let issuedOffers = EventRows(
        .offerIssued, table: "issued_offer", date: "issued_at", customer: "t.customer_id",
        members: [
            ("decisionId", "decision_id"), ("delivery", "delivery"), ("expiresAt", "expires_at"),
            ("grantId", "grant_id"), ("issuedOfferId", "id"), ("offerId", "offer_id"),
            ("offerIdentifier", "offer_identifier"),
            ("offerType", "offer_type"), ("productId", "product_id"),
            ("subscriptionGroupIdentifier", "subscription_group_identifier"), ("transactionId", "transaction_id"),
        ])

    private static let refusals = EventRows(
        table: "refusal", date: "decided_at",
        columns: """
            '\(EventType.offerRefused.rawValue)', t.customer_id, t.id, t.offer_id, t.outcome, t.record
            """
    ) { row in
        var json = JSONWriter.beginObject(.short)
        json.member("decisionId", try row.next(String.self))
        json.member("offerId", try row.next(OfferId.self))
        json.member("outcome", try row.next(String.self))
        // One record that cannot be read must not hold up every event after it; replay reports it.
        guard let bytes = try row.next(ErasableColumn<[UInt8]>.self).value,
            let record = try? DecisionRecord(stored: bytes)
        else { return json.endObject() }
        json.member("productId", record.productId)
        json.name("rules")
        json.array(record.findings.deciding) { json, answer in
            json.object { json in
                json.member("reason", answer.reason.rawValue)
                json.member("rule", answer.rule.rawValue)
            }
        }
        return json.endObject()
    }

    /// One that is old when it arrives, as after an outage of weeks, is not news.
    private static let notifications = EventRows(
        .notificationReceived, table: "notification", date: "received_at", customer: "i.customer_id",
        join: """
            LEFT JOIN customer_identifier i
            ON i.scope_id = t.scope_id AND i.kind = t.identifier_kind AND i.value = t.identifier AND i.is_proven = 1
            """,
        condition: " AND t.received_at - t.signed_date <= \(SubscriptionEvent.newsLife)",
        members: [
            ("notificationUUID", "uuid"), ("productId", "product_id"), ("signedDate", "signed_date"),
            ("subtype", "subtype"), ("transactionId", "transaction_id"), ("type", "type"),
        ])

    /// Rows whose data are columns of theirs.
    ///
    /// - Parameter members: each member of the data with its column, in the order of the members' names. One that holds
    ///   nothing, or was erased, is left out.
    private init(
        _ type: EventType, table: String, date: String, customer: String, join: String = "", condition: String = "",
        members: [(name: StaticString, column: String)]
    ) {
        let columns = ["'\(type.rawValue)'", customer] + members.map { "t.\($0.column)" }
        self.init(
            table: table, date: date, columns: columns.joined(separator: ", "), join: join, condition: condition
        ) { row in
            var json = JSONWriter.beginObject(.short)
            for member in members {
                guard let value = try row.next(ErasableColumn<StoredValue>.self).value else { continue }
                json.name(member.name)
                json.value(value)
            }
            return json.endObject()
        }
    }

    private static func events(of types: [EventType]) -> EventRows {
        let names = types.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return EventRows(
            table: "event", date: "occurred_at", columns: "t.type, i.customer_id, t.data",
            join: """
                LEFT JOIN customer_identifier i ON i.scope_id = t.scope_id AND i.kind = 'originalTransactionId'
                    AND i.value = t.original_transaction_id
                """,
            condition: types.count == 1 ? " AND t.type = \(names)" : " AND t.type IN (\(names))"
        ) { row in
            Array(try row.next(String.self).utf8)
        }
    }
}

extension [RuleAnswer] {
    /// Those that decided it: what is violated, else what is undetermined.
    fileprivate var deciding: [RuleAnswer] {
        let violated = filter { $0.verdict == .violated }
        return violated.isEmpty ? filter { $0.verdict == .undetermined } : violated
    }
}
