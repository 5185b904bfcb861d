public import OfferModel

/// Attributes that the app sets for customers, by the name after `customer.attributes.` (docs/design.md#decisions).
public struct AttributeStore {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// The attributes of some customers together; where they differ, the one set last counts.
    public func attributes(of customers: [CustomerNumber]) throws -> [String: FactValue] {
        let rows: [(String, String, String)] = try transaction.all(
            "SELECT name, type, value FROM customer_attribute WHERE customer_id IN (?*) ORDER BY sequence",
            list: customers.map(\.storedValue))
        var attributes = [String: FactValue]()
        for (name, type, text) in rows {
            guard let stored = StoredFactValue(type: type, text: text) else {
                throw StoreError.corrupt("the attribute `\(name)` is not of its type")
            }
            attributes[name] = stored.value
        }
        return attributes
    }

    /// Makes these the only attributes of some customers. Those that stay as they are keep their date.
    public func replace(
        _ attributes: [String: FactValue], of customers: [CustomerNumber], actor: String, at now: Instant
    ) throws -> Bool {
        var changed = [CustomerNumber]()
        for customer in customers {
            let known = try self.attributes(of: [customer])
            guard known != attributes else { continue }
            changed.append(customer)
            for name in known.keys where attributes[name] == nil {
                try transaction.execute(
                    "DELETE FROM customer_attribute WHERE customer_id = ?1 AND name = ?2", customer, name)
            }
            for (name, value) in attributes.sorted(by: { $0.key < $1.key }) where known[name] != value {
                try set(name, value, of: customer, actor: actor, at: now)
            }
        }
        guard !changed.isEmpty else { return false }
        try CustomerStore(transaction).noteChange(try StoreClock(transaction).nextSequence(), of: changed)
        return true
    }

    /// Gives one customer what another had; of two values of one name the one set last stays.
    func unite(_ merged: CustomerNumber, into survivor: CustomerNumber) throws {
        try transaction.execute(
            """
            INSERT INTO customer_attribute (customer_id, name, type, value, actor, set_at, sequence)
            SELECT ?1, name, type, value, actor, set_at, sequence FROM customer_attribute WHERE customer_id = ?2
            \(Self.orUpdate) WHERE excluded.sequence > customer_attribute.sequence
            """, survivor, merged)
    }

    private func set(
        _ name: String, _ value: FactValue, of customer: CustomerNumber, actor: String, at now: Instant
    ) throws {
        let stored = StoredFactValue(value)
        try transaction.execute(
            """
            INSERT INTO customer_attribute (customer_id, name, type, value, actor, set_at, sequence)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            \(Self.orUpdate)
            """, customer, name, stored.type, stored.text, actor, now, try StoreClock(transaction).nextSequence())
    }

    private static let orUpdate = """
        ON CONFLICT (customer_id, name) DO UPDATE SET type = excluded.type, value = excluded.value, \
        actor = excluded.actor, set_at = excluded.set_at, sequence = excluded.sequence
        """
}

/// A fact's value as two columns: its type, and a text that reads back as the same value.
struct StoredFactValue {
    let value: FactValue

    init(_ value: FactValue) {
        self.value = value
    }

    var type: String { value.type.rawValue }

    var text: String {
        switch value {
        case .text(let text): text
        case .number(let number): "\(number)"
        case .boolean(let flag): flag ? "true" : "false"
        case .money(let money): "\(money.milliunits) \(money.currency)"
        case .instant(let instant): "\(instant.milliseconds)"
        }
    }

    init?(type: String, text: String) {
        switch FactType(rawValue: type) {
        case .text: value = .text(text)
        case .number:
            guard let number = Double(text), number.isFinite else { return nil }
            value = .number(number)
        case .boolean:
            guard let flag = Bool(text) else { return nil }
            value = .boolean(flag)
        case .money:
            let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let milliunits = Self.integer(parts[0]) else { return nil }
            value = .money(Money(milliunits: milliunits, currency: String(parts[1])))
        case .instant:
            guard let milliseconds = Self.integer(text) else { return nil }
            value = .instant(Instant(milliseconds: milliseconds))
        // No value is of these: it is a text that a fact of the vocabulary compares by a rule of its own.
        case .version, .locale, .storefront, nil: return nil
        }
    }

    private static func integer(_ text: some StringProtocol) -> Int64? {
        Int64(text).flatMap { InputBounds.storedIntegers.contains($0) ? $0 : nil }
    }
}
