import OfferModel

/// The rows that events of erasures name: only of these may texts be gone that retention did not remove.
struct ErasedRows {
    private var rows: [String: Set<Int64>] = [:]
    /// How many texts these events tell to have been erased.
    private(set) var told: Int64 = 0

    /// Whether an event names the row.
    func holds(_ table: String, _ key: Int64?) -> Bool {
        key.map { rows[table]?.contains($0) ?? false } ?? false
    }

    /// Takes what an event of an erasure tells.
    ///
    /// - Throws: ``StoreError/corrupt(_:)``.
    mutating func add(_ event: AuditEvent) throws {
        guard event.kind == .erasure else { return }
        let after = try AuditValues(text: event.after ?? "{}")
        told = told.saturatingAdding(try after.value("erased"))
        for part in try after.value("rows", as: String.self).split(separator: ";") {
            let words = part.split(separator: " ")
            guard let table = words.first else { continue }
            for word in words.dropFirst() {
                guard let key = Int64(word) else {
                    throw StoreError.corrupt("event \(event.sequence) names a row `\(word)`")
                }
                rows[String(table), default: []].insert(key)
            }
        }
    }

    /// The rows as an event tells them: `issued_offer 5 6;refusal 7`.
    static func text(_ rows: [String: [Int64]]) -> String {
        rows.sorted { $0.key < $1.key }
            .map { table, keys in ([table] + Set(keys).sorted().map(String.init)).joined(separator: " ") }
            .joined(separator: ";")
    }
}
