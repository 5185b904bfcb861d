/// One or several measures over time, as bars or as lines.
struct SeriesChart: ChartBody {
    let labels: [String]
    let measures: [(name: String, values: [ChartNumber?])]
    /// What is counted, and what a bucket is.
    let axes: (unit: String, bucket: String)
    let prefersBars: Bool

    func drawn(on canvas: ChartCanvas, from top: Double) -> (svg: String, end: Double) {
        let numbers = measures.flatMap { $0.values.compactMap(\.self) }
        guard !labels.isEmpty, !numbers.isEmpty else { return canvas.noData(from: top) }
        let axis = ChartAxis(numbers, steps: 5, room: canvas.inner * 0.22)
        let left = ChartCanvas.margin + (axis.ticks.map { SVGText.width($0.text) }.max() ?? 0) + 8
        let slot = (canvas.right - left) / Double(labels.count)
        let barWidth = min(60, slot * 0.8 / Double(measures.count))
        // Thinner bars would run together.
        let isBars = prefersBars && barWidth >= 3

        let legend = canvas.legend(measures.map(\.name), lines: !isBars, from: top)
        let start = legend.end + SVGText.line + 8
        let bottom = start + (canvas.isNarrow ? 180 : 240)
        func y(_ value: Double) -> Double { axis.place(value, from: bottom, to: start) }
        func centre(_ index: Int) -> Double { left + slot * (Double(index) + 0.5) }

        var svg = isBars ? canvas.patterns(measures.count) : ""
        svg += legend.svg + SVGText.element(axes.unit, x: ChartCanvas.margin, y: legend.end + 12, room: canvas.inner)
        for tick in axis.ticks {
            let path = "M\(left.px) \(y(tick.value).px)H\(canvas.right.px)"
            svg += ChartCanvas.gridline(path, isZero: tick.value == 0)
            svg += SVGText.element(tick.text, x: left - 8, y: y(tick.value) + 4, anchor: "end")
        }
        for (measure, values) in measures.map(\.values).enumerated() {
            let points = zip(labels.indices, values).map { (x: centre($0), value: $1) }
            if isBars {
                let shift = barWidth * (Double(measure) - Double(measures.count) / 2)
                let bars = zip(labels, points).map { label, point in
                    guard let number = point.value else { return "" }
                    return canvas.bar(
                        (point.x + shift + 0.5, point.x + shift + barWidth - 0.5), (y(0), y(number.value)),
                        measure: measure, title: "\(label): \(measures[measure].name) \(number.text)")
                }
                svg += ChartCanvas.group(measure, bars.joined())
            } else {
                let line = Self.line(points.map { point in point.value.map { (point.x, y($0.value)) } }, measure, slot)
                svg += ChartCanvas.group(measure, line)
            }
        }
        let names = labels.enumerated().map {
            (x: centre($0), text: SVGText.fitted(SVGText.clean($1), room: canvas.inner / 3))
        }
        let foot = canvas.foot(names, axes.bucket, from: bottom)
        return (svg + foot.svg, foot.end)
    }

    /// A line with a gap where there is no number, and with markers that do not cover each other.
    private static func line(_ points: [(x: Double, y: Double)?], _ measure: Int, _ slot: Double) -> String {
        var (path, markers) = ("", "")
        let stride = max(1, Int(exactly: (36 / slot).rounded(.up)) ?? 1)
        for (index, point) in points.enumerated() {
            guard let point else { continue }
            let follows = index > 0 && points[index - 1] != nil
            let isAlone = !follows && (index + 1 == points.count || points[index + 1] == nil)
            path += "\(follows ? "L" : "M")\(point.x.px) \(point.y.px)"
            if isAlone || (index + measure * max(1, stride / 3)) % stride == 0 {
                markers += ChartCanvas.marker(point.x, point.y, measure: measure)
            }
        }
        return ChartCanvas.polyline(path, measure: measure) + markers
    }
}

extension Chart {
    /// Measures per day, week or month; a number that is not known is a gap.
    ///
    /// - Parameter bars: whether to draw bars where they are wide enough, instead of lines.
    package static func series(
        _ title: String, subtitle: String = "", unit: String, bucket: String, labels: [String],
        measures: [(name: String, values: [ChartNumber?])], bars: Bool = false
    ) -> Chart {
        let measures = measures.map { measure in
            (measure.name, labels.indices.map { $0 < measure.values.count ? measure.values[$0] : nil })
        }
        let words = labels.indices.map { bucket in
            let numbers = measures.map { name, values in "\(name) \(values[bucket]?.text ?? "not known")" }
            return "\(labels[bucket]): \(numbers.joined(separator: ", "))"
        }
        let isKnown = measures.contains { $0.1.contains { $0 != nil } }
        return Chart(
            title, subtitle, words: isKnown ? words : [],
            body: SeriesChart(labels: labels, measures: measures, axes: (unit, bucket), prefersBars: bars))
    }
}
