/// A horizontal bar with its name and its number in words.
struct ChartRow: Sendable {
    let label: String
    /// How far the bar goes; none without a number.
    let bar: ChartNumber?
    /// How far a second, striped bar goes on from there.
    let rest: ChartNumber?
    /// The number in words, the longest form first.
    let notes: [String]

    func note(room: Double) -> String { notes.first { Self.width($0) <= room } ?? notes.last ?? "" }
    static func width(_ note: String) -> Double { SVGText.width(note) * SVGText.boldness }
    var words: String { "\(label): \(notes.first ?? "")" }
}

/// Rows of bars over one axis. Where it is wide, names and numbers are columns beside the bars, otherwise above them.
struct RowChart: ChartBody {
    let rows: [ChartRow]
    /// The names of the two parts of a bar.
    let parts: [String]
    let unit: String

    private static let barHeight = 28.0

    func drawn(on canvas: ChartCanvas, from top: Double) -> (svg: String, end: Double) {
        guard !rows.isEmpty else { return canvas.noData(from: top) }
        let columns = canvas.inner * 0.35
        let isStacked = canvas.isNarrow || rows.contains { ChartRow.width($0.notes.last ?? "") > columns }
        let labels = rows.map { SVGText.width(SVGText.clean($0.label)) }
        // A short name leaves its room to the number, and short numbers theirs to the names.
        let notes = zip(rows, labels).map { row, label in
            row.note(room: isStacked ? max(canvas.inner * 0.6, canvas.inner - label - 12.2) : columns)
        }
        let note = notes.map(ChartRow.width).max() ?? 0
        let label = min(max(canvas.inner * 0.3, canvas.inner * 0.6 - note), labels.max() ?? 0) + 0.1
        let left = ChartCanvas.margin + (isStacked ? 0 : label + 12)
        let right = canvas.right - (isStacked ? 0 : note + 12)
        let axis = ChartAxis(
            rows.flatMap { [$0.bar, $0.rest] }.compactMap(\.self), steps: max(2, (right - left) / 110),
            room: 80)
        func x(_ value: Double) -> Double { axis.place(value, from: left, to: right) }

        let legend = canvas.legend(parts, lines: false, from: top)
        let height = Self.barHeight + (isStacked ? SVGText.line + 4 : 0)
        // Beside the texts, not through them.
        let tops = rows.indices.map { legend.end + height * Double($0 + 1) - Self.barHeight + (isStacked ? 2 : 0) }
        let bottom = legend.end + height * Double(rows.count)
        var (texts, bars) = ("", ["", ""])
        for ((row, note), top) in zip(zip(rows, notes), tops) {
            let y = isStacked ? top - 2 : top + 18
            let room = isStacked ? canvas.inner - ChartRow.width(note) - 12 : label
            texts += SVGText.element(row.label, x: ChartCanvas.margin, y: y, room: room)
            texts += SVGText.element(note, x: canvas.right, y: y, anchor: "end", isBold: true)
            guard let bar = row.bar?.value else { continue }
            let sides = (top + 6, top + 22)
            bars[0] += canvas.bar((x(0), x(bar)), sides, measure: 0, title: row.words)
            if let rest = row.rest?.value, rest > max(0, bar) {
                bars[1] += canvas.bar((x(max(0, bar)), x(rest)), sides, measure: 1, title: row.words)
            }
        }
        let grid = axis.ticks.map { tick in
            let lines = tops.map { "M\(x(tick.value).px) \($0.px)v\(isStacked ? 26 : 28)" }
            return ChartCanvas.gridline(lines.joined(), isZero: tick.value == 0)
        }
        let drawn = bars.enumerated().map { $1.isEmpty ? "" : ChartCanvas.group($0, $1) }
        let foot = canvas.foot(axis.ticks.map { (x($0.value), $0.text) }, unit, from: bottom)
        return (canvas.patterns(2) + legend.svg + grid.joined() + drawn.joined() + texts + foot.svg, foot.end)
    }
}

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
                notes: ["\(amounts) \(row.unit) · \(share)", "\(amounts) \(row.unit)", amounts, share])
        }
        return Chart(
            title, subtitle, words: rows.map(\.words),
            body: RowChart(
                rows: rows, parts: ["used", "remaining"], unit: "% of the limit, at most 200 drawn"))
    }

    /// The percentage that longer bars end at, so that one offer far over its limit leaves the others readable.
    private static let longest = 200.0
}
