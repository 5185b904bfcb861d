extension Chart {
    /// Steps whose counts go down, such as the stages of a funnel, each with what it lost since the step before.
    package static func waterfall(
        _ title: String, subtitle: String = "", unit: String, steps: [(label: String, count: ChartNumber)]
    ) -> Chart {
        let rows = zip(steps, [nil] + steps.map(\.count)).map { step, before in
            let number = step.count
            let share = before.flatMap(number.share).map { " · \($0)" } ?? ""
            return ChartRow(
                label: step.label, bar: number, rest: before, notes: [number.text + share, number.text])
        }
        return Chart(
            title, subtitle, words: rows.map(\.words),
            body: RowChart(
                rows: rows, parts: ["remaining", "lost since the step before"], unit: "\(unit); % of the step before"))
    }
}
