import Charts
import Foundation
import Testing

@Suite("Texts in charts")
struct ChartTextTests {
    /// What is given, and what a reader of the picture gets.
    private static let texts = [
        ("</text><script>alert(1)</script>", "</text><script>alert(1)</script>"),
        ("]]><!--", "]]><!--"), ("&amp; &#x1F; <", "&amp; &#x1F; <"),
        ("\" onload=\"alert(1)", "\" onload=\"alert(1)"), ("it's", "it's"),
        ("a\u{0}b\u{1B}[31m\u{7F}\u{9F}", "a\u{FFFD}b\u{FFFD}[31m\u{FFFD}\u{FFFD}"),
        ("two\nlines\r\tand\u{2028}more", "two lines  and more"),
        ("\u{202E}evil\u{2066}", "\u{FFFD}evil\u{FFFD}"), ("\u{FFFE}\u{FFFF}", "\u{FFFD}\u{FFFD}"),
        ("مرحبا בעולם", "مرحبا בעולם"), ("🎉👨‍👩‍👧e\u{301}", "🎉👨‍👩‍👧e\u{301}"), ("", ""),
    ]

    @Test("a text from outside is read as it is wherever it is written, and is never markup", arguments: texts)
    func escaped(given: String, read: String) {
        let number = ChartNumber(5)
        let charts: [Chart] = [
            .waterfall(given, subtitle: given, unit: given, steps: [(given, ChartNumber(5))]),
            .series(
                given, subtitle: given, unit: given, bucket: given, labels: [given], measures: [(given, [number])],
                bars: true),
            .budgets(given, subtitle: given, rows: [(given, number, number, given)]),
        ]
        let drawn = DrawnChart(Chart.svg(charts, id: given, width: 1_200))
        #expect(drawn.isWellFormed)
        let allowed: Set = ["svg", "style", "rect", "g", "title", "desc", "text", "defs", "pattern", "path"]
        #expect(drawn.elements.allSatisfy { allowed.contains($0.name) })
        #expect(drawn.elements.flatMap(\.attributes.keys).allSatisfy { !$0.hasPrefix("on") && !$0.contains("href") })
        #expect(drawn.words == ["\(read): 5", "\(read): \(read) 5", "\(read): 5 of 5 \(read) · 100.0 %"])
        #expect(drawn.all("title").filter { $0.attributes["id"] != nil }.map(\.text) == [read, read, read])
        #expect(drawn.all("text").count { $0.text == read } >= 3)
    }

    @Test("a long name ends with an ellipsis, and is whole in the title that a pointer shows")
    func truncated() throws {
        let name = String((0..<200).map { "abcdefghij"["abcdefghij".index("a".startIndex, offsetBy: $0 % 10)] })
        let drawn = DrawnChart(
            Chart.svg([.waterfall("T", unit: "customers", steps: [(name, ChartNumber(5))])], id: "a", width: 320))
        let label = try #require(drawn.all("text").first { $0.title == name })
        #expect(label.text.hasSuffix("…") && name.hasPrefix(label.text.dropLast()) && label.text.count > 10)
        #expect(drawn.words == ["\(name): 5"])
    }

    @Test("a name is not cut where half the width is free, and a narrow number keeps its currency and its share")
    func room() throws {
        let name = "the customer must have or have had a subscription"
        let wide = DrawnChart(
            Chart.svg([.waterfall("T", unit: "customers", steps: [(name, ChartNumber(12))])], id: "a", width: 760))
        #expect(wide.all("text").contains { $0.text == name })
        let budget = (
            label: "comeback", used: ChartNumber(decimal: "480.00"), allowed: ChartNumber(decimal: "90000.00"),
            unit: "USD"
        )
        func notes(_ label: String) -> [String] {
            var row = budget
            row.label = label
            let chart = DrawnChart(Chart.svg([.budgets("T", rows: [row])], id: "a", width: 400))
            return chart.all("text").map(\.text)
        }
        #expect(notes("comeback").contains("480.00 of 90,000.00 USD · 0.5 %"))
        #expect(notes(String(repeating: "comeback", count: 20)).contains("480.00 of 90,000.00 USD"))
    }

    @Test("several pictures of a page share no id, and each is labelled by its own title and words")
    func ids() throws {
        let chart = Chart.series(
            "T", unit: "u", bucket: "day", labels: ["a"],
            measures: [("a", [ChartNumber(1)]), ("b", [ChartNumber(2)])], bars: true)
        let names = ["a", "b", "a b", "a_b", "a_32_b", "é", "\"><", ""]
        let drawn = names.map { DrawnChart(Chart.svg([chart, chart], id: $0, isStyled: false)) }
        let ids = drawn.flatMap(\.elements).compactMap { $0.attributes["id"] }
        #expect(ids.count == names.count * 2 * 3 && Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.wholeMatch(of: /chart-[A-Za-z0-9_-]+/) != nil })
        for group in drawn.flatMap({ $0.all("g") }) where group.attributes["role"] != nil {
            #expect(group.attributes["role"] == "img")
            let labels = try #require(group.attributes["aria-labelledby"]).split(separator: " ").map(String.init)
            #expect(labels.count == 2 && Set(labels).isSubset(of: ids))
        }
        let fills = drawn.flatMap { $0.bars(1) }.compactMap { $0.attributes["fill"] }
        #expect(fills.count == names.count * 2)
        #expect(fills.allSatisfy { ids.contains(String($0.dropFirst(5).dropLast())) })
    }

    @Test(
        "without its own style it has nothing that a strict content security policy refuses",
        arguments: GoldenCharts.all)
    func policy(_ golden: GoldenCharts) {
        let drawn = DrawnChart(Chart.svg(golden.charts, id: "a", isStyled: false))
        #expect(drawn.all("style").isEmpty && !drawn.elements.isEmpty)
        #expect(drawn.elements.allSatisfy { $0.attributes["style"] == nil })
        let styled = DrawnChart(Chart.svg(golden.charts, id: "a"))
        #expect(styled.all("style").map(\.text) == [Chart.styleSheet])
        #expect(
            styled.elements.flatMap { $0.attributes["class"].map { [$0] } ?? [] }.allSatisfy {
                Chart.styleSheet.contains(".\($0){")
            })
    }

    @Test("text and marks have a contrast of 4.5 to 1 with the ground, in light and in dark")
    func contrast() throws {
        for (sheet, ground) in zip(Chart.styleSheet.split(separator: "@media"), ["#ffffff", "#16191d"]) {
            #expect(sheet.contains(".chart-ground{fill:\(ground)}"))
            let colours = sheet.matches(of: /color:(#[0-9a-f]{6})/).map { String($0.output.1) }
            #expect(colours.count == 7 && Set(colours).count == 7)
            for colour in colours { #expect(try contrast(colour, ground) >= 4.5, "\(colour) on \(ground)") }
        }
    }

    /// By WCAG 2.2.
    private func contrast(_ first: String, _ second: String) throws -> Double {
        let lights = try [first, second].map { colour in
            let channels = try (0..<3).map { index -> Double in
                let digits = colour.dropFirst(1 + 2 * index).prefix(2)
                let share = Double(try #require(Int(digits, radix: 16))) / 255
                return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2] + 0.05
        }
        return max(lights[0], lights[1]) / min(lights[0], lights[1])
    }
}
