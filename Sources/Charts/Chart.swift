/// A picture of numbers as SVG that can be read without colours.
///
/// Nothing in it comes from outside but text, which is escaped. It has no `style` attribute and no script, so a page with a
/// strict content security policy can have it inline.
package struct Chart: Sendable {
    let title: String
    let subtitle: String
    /// Every number exactly as it is written, for readers who do not see the picture.
    package let words: String
    let body: any ChartBody

    init(_ title: String, _ subtitle: String, words: [String], body: any ChartBody) {
        (self.title, self.subtitle, self.body) = (title, subtitle, body)
        self.words = words.isEmpty ? ChartCanvas.noData : words.joined(separator: "; ")
    }

    /// Charts are laid out for these widths; another is taken to the nearest of them.
    package static let widths = 320...1_200

    /// The charts below each other.
    ///
    /// - Parameter id: is part of every id in it; each picture of a page needs another.
    /// - Parameter isStyled: whether it has a `style` element, for light and dark. Where that is not allowed, the page has
    ///   ``styleSheet`` among its own; without it the chart is dark on white.
    package static func svg(_ charts: [Chart], id: String, width: Int = 800, isStyled: Bool = true) -> String {
        let width = Double(min(max(width, widths.lowerBound), widths.upperBound))
        var height = 0.0
        let parts = charts.enumerated().map { index, chart in
            let canvas = ChartCanvas(id: "chart-\(identifier(id))-\(index)", width: width)
            let (content, end) = chart.content(canvas, from: height)
            height = end
            return """
                <g role="img" aria-labelledby="\(canvas.id)-title \(canvas.id)-words">
                <title id="\(canvas.id)-title">\(SVGText.escaped(chart.title))</title>
                <desc id="\(canvas.id)-words">\(SVGText.escaped(chart.words))</desc>
                \(content)</g>

                """
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" class="chart" width="\(width.px)" height="\(height.px)" \
            viewBox="0 0 \(width.px) \(height.px)" \
            font-family="system-ui, sans-serif" font-size="\(SVGText.size.px)" color="#1f2328" fill="currentColor">
            \(isStyled ? "<style>\(styleSheet)</style>\n" : "")\
            <rect class="chart-ground" width="100%" height="100%" fill="#ffffff"/>
            \(parts.joined())</svg>

            """
    }

    private func content(_ canvas: ChartCanvas, from top: Double) -> (svg: String, end: Double) {
        var svg = ""
        var y = top + ChartCanvas.margin
        for (text, size, isBold) in [(title, 15.0, true), (subtitle, SVGText.size, false)] {
            let room = canvas.inner / (isBold ? SVGText.boldness : 1)
            for line in SVGText.lines(text, room: room, size: size) {
                y += size + 4
                svg += SVGText.element(
                    line, x: ChartCanvas.margin, y: y - 4, room: room, size: size, isBold: isBold)
            }
        }
        let (body, end) = body.drawn(on: canvas, from: y + 8)
        return (svg + body, end + ChartCanvas.margin)
    }

    /// Letters, digits and `-` as they are, anything else as its number.
    private static func identifier(_ text: String) -> String {
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-".unicodeScalars
        return text.unicodeScalars.map { plain.contains($0) ? String($0) : "_\($0.value)_" }.joined()
    }

    /// Colours of the text, the ground and the measures, each at least 4.5 to 1 on its ground.
    package static let styleSheet = """
        .chart{color:#1f2328;max-width:100%;height:auto}.chart-ground{fill:#ffffff}\
        \(rules(ChartCanvas.colours))\
        @media (prefers-color-scheme:dark){.chart{color:#e6e8ea}.chart-ground{fill:#16191d}\
        \(rules(["#7ab7ff", "#ffb066", "#62d0a6", "#d9a0ea", "#b5bcc4", "#ff9a90"]))}
        """

    private static func rules(_ colours: [String]) -> String {
        colours.enumerated().map { ".chart-\($0){color:\($1)}" }.joined()
    }
}

/// What a kind of chart draws below its title.
protocol ChartBody: Sendable {
    func drawn(on canvas: ChartCanvas, from top: Double) -> (svg: String, end: Double)
}
