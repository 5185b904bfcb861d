extension Chart {
    /// What each offer used of what it may use, as a share, because offers have different units.
    package static func budgets(
        _ title: String, subtitle: String = "",
        rows: [(label: String, used: ChartNumber?, allowed: ChartNumber?, unit: String)]
    ) -> Chart {
        let rows = rows.map { row -> ChartRow in
            guard let used = row.used, let allowed = row.allowed else {
                let notes = row.used.map { ["\($0.text) \(row.unit), no limit", $0.text] }
                return ChartRow(label: row.label, bar: nil, rest: nil, notes: notes ?? [ChartCanvas.noData])
            }
            let share = used.share(of: allowed) ?? (used.value > 0 ? "over the limit" : "nothing allowed")
            let percent = allowed.value > 0 ? used.value / allowed.value * 100 : used.value > 0 ? longest : 0
            let amounts = "\(used.text) of \(allowed.text)"
            return ChartRow(
                label: row.label, bar: ChartNumber(value: min(max(percent, 0), longest), text: share),
                rest: ChartNumber(100),
                notes: ["\(amounts) \(row.unit) · \(share)", amounts, share])
        }
        return Chart(
            title, subtitle, words: rows.map(\.words),
            body: RowChart(
                rows: rows, parts: ["used", "remaining"], unit: "% of the limit, at most 200 drawn"))
    }

    /// The percentage that longer bars end at, so that one offer far over its limit leaves the others readable.
    private static let longest = 200.0
}
