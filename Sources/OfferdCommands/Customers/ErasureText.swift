import OfferStore

/// What an erasure takes away, in lines for people.
enum ErasureText {
    static func lines(_ plan: ErasurePlan, isDone: Bool) -> [String] {
        let merged = plan.chain.count - plan.customers.count
        var lines = [
            "\(isDone ? "erasing" : "would erase") \(count(plan.customers.count, "customer"))"
                + (merged == 0 ? "" : ", with \(merged) merged into them")
        ]
        for table in PersonalTable.all {
            guard let rows = plan.rows[table.name] else { continue }
            lines.append("  \(table.name): \(count(rows, "row")) \(action(of: table))")
        }
        if !plan.mentions.isEmpty {
            lines.append(
                "  decision: \(count(plan.mentions.count, "record")) about others or nobody known that "
                    + "\(plan.mentions.count == 1 ? "names" : "name") the customer, too")
        }
        if plan.sharing > 0 {
            lines.append(
                "\(count(plan.sharing, "other customer")) with an account or name in common "
                    + "\(plan.sharing == 1 ? "keeps" : "keep") it, with their own data")
        }
        return lines
    }

    private static func action(of table: PersonalTable) -> String {
        let actions = Set(table.columns.map(\.action))
        if actions == [.deleted] { return "deleted" }
        let changed = table.columns.filter { $0.action == .digested || $0.action == .emptied }.map { "`\($0.name)`" }
        return changed.isEmpty ? "kept" : "kept without \(changed.joined(separator: ", "))"
    }

    private static func count(_ count: Int, _ name: String) -> String { "\(count) \(name)\(count == 1 ? "" : "s")" }
}
