/// The room for one chart, and how its measures are told apart: by colour, and without it by pattern, dash and marker.
struct ChartCanvas {
    static let margin = 12.0
    static let colours = ["#0b5cad", "#9a4a00", "#0f6b4f", "#7b2d8b", "#555b61", "#b3261e"]
    static let noData = "no data"
    private static let dashes = ["", "7 3", "2 3", "10 3 2 3", "14 5", "4 6"]

    let id: String
    let width: Double

    /// The width between the margins.
    var inner: Double { width - 2 * Self.margin }
    var right: Double { width - Self.margin }
    var isNarrow: Bool { width < 560 }

    func noData(from top: Double) -> (svg: String, end: Double) {
        (SVGText.element(Self.noData, x: width / 2, y: top + 40, anchor: "middle"), top + 60)
    }

    static func group(_ measure: Int, _ content: String) -> String {
        let index = measure % colours.count
        return "<g class=\"chart-\(index)\" color=\"\(colours[index])\">\n\(content)</g>\n"
    }

    static func gridline(_ path: String, isZero: Bool) -> String {
        "<path d=\"\(path)\" stroke=\"currentColor\"\(isZero ? "" : " stroke-opacity=\"0.2\"")/>\n"
    }

    /// The patterns of the measures from the second on: stripes of another angle and distance each.
    func patterns(_ count: Int) -> String {
        let forms = (1..<max(count, 1)).map { measure -> String in
            let index = measure % Self.colours.count
            let side = measure % 2 == 0 ? 4 : 6
            let turn = [45, 135, 0, 90, 20][(measure - 1) % 5]
            return """
                <pattern id="\(id)-\(measure)" class="chart-\(index)" color="\(Self.colours[index])" width="\(side)" height="\(side)" \
                patternUnits="userSpaceOnUse" patternTransform="rotate(\(turn))"><path d="M0 1H\(side)" stroke="currentColor" \
                stroke-width="2"/></pattern>

                """
        }
        return "<defs>\n\(forms.joined())</defs>\n"
    }

    /// A bar between two corners in any order, within the group of its measure.
    func bar(_ x: (Double, Double), _ y: (Double, Double), measure: Int, title: String? = nil) -> String {
        let sides = [
            ("x", min(x.0, x.1)), ("y", min(y.0, y.1)), ("width", (x.1 - x.0).magnitude),
            ("height", (y.1 - y.0).magnitude),
        ].map { "\($0)=\"\($1.px)\"" }.joined(separator: " ")
        let fill = measure == 0 ? "currentColor" : "url(#\(id)-\(measure))"
        let name = title.map { "<title>\(SVGText.escaped($0))</title>" } ?? ""
        return "<rect \(sides) fill=\"\(fill)\" stroke=\"currentColor\">\(name)</rect>\n"
    }

    static func polyline(_ path: String, measure: Int) -> String {
        let dash = dashes[(measure + measure / dashes.count) % dashes.count]
        let dashed = dash.isEmpty ? "" : " stroke-dasharray=\"\(dash)\""
        return
            "<path d=\"\(path)\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" stroke-linejoin=\"round\"\(dashed)/>\n"
    }

    static func marker(_ x: Double, _ y: Double, measure: Int) -> String {
        let place = "M\(x.px) \(y.px)"
        let form = [
            "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "m-3.5 -3.5h7v7h-7z", "m0 -4.5l4.5 8h-9z", "m0 -5l5 5l-5 5l-5 -5z",
            "m-4 -4l8 8m0 -8l-8 8", "m-5 0h10m-5 -5v10",
        ][measure % 6]
        return "<path d=\"\(place)\(form)\" fill=\"currentColor\" stroke=\"currentColor\"/>\n"
    }

    /// The names of the measures, each beside a swatch of its own, in as many lines as they need.
    func legend(_ names: [String], lines: Bool, from top: Double) -> (svg: String, end: Double) {
        var (x, y) = (Self.margin, top)
        let entries = names.enumerated().map { measure, name -> String in
            let room = min(SVGText.width(SVGText.clean(name)), inner - 30)
            if x > Self.margin, x + 30 + room > right { (x, y) = (Self.margin, y + SVGText.line + 2) }
            defer { x += 30 + room + 16 }
            let swatch =
                lines
                ? Self.polyline("M\(x.px) \((y + 6).px)h24", measure: measure)
                    + Self.marker(x + 12, y + 6, measure: measure)
                : bar((x, x + 24), (y, y + 12), measure: measure)
            return Self.group(measure, swatch) + SVGText.element(name, x: x + 30, y: y + 10.5, room: room + 0.1)
        }
        return (entries.joined(), y + SVGText.line + 8)
    }

    /// The labels of a horizontal axis, centred at their places, and its name. Labels that would touch the one before are
    /// left out.
    func foot(_ labels: [(x: Double, text: String)], _ name: String, from top: Double) -> (svg: String, end: Double) {
        var free = Self.margin
        let texts = labels.map { label in
            let half = SVGText.width(label.text) / 2
            let x = max(Self.margin + half, min(right - half, label.x))
            guard x - half >= free else { return "" }
            free = x + half + 8
            return SVGText.element(label.text, x: x, y: top + SVGText.line, anchor: "middle")
        }
        let end = top + 2 * SVGText.line + 2
        return (texts.joined() + SVGText.element(name, x: right, y: end, anchor: "end", room: inner), end + 4)
    }
}
