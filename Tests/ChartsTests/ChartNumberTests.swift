import Testing

@testable import Charts

@Suite("Numbers of charts")
struct ChartNumberTests {
    @Test(
        "a count has thousands separators, to the last",
        arguments: [
            (0, "0"), (7, "7"), (-7, "-7"), (999, "999"), (1_000, "1,000"), (-1_000, "-1,000"), (120_000, "120,000"),
            (1_234_567, "1,234,567"), (.max, "9,223,372,036,854,775,807"), (.min, "-9,223,372,036,854,775,808"),
        ])
    func count(count: Int, text: String) {
        #expect(ChartNumber(count).text == text)
    }

    @Test(
        "a decimal keeps its digits, and what is none is no number",
        arguments: [
            ("4965.00", "4,965.00"), ("-245.1", "-245.1"), ("0.005", "0.005"), ("-0.50", "-0.50"),
            ("12345678901234567890.12", "12,345,678,901,234,567,890.12"), ("7", "7"), ("", nil), ("-", nil),
            (".5", nil),
            ("5.", nil), ("1.2.3", nil), ("1e5", nil), ("nan", nil), ("inf", nil), ("1,000", nil), ("+1", nil),
            (" 1", nil),
            ("٣", nil), (String(repeating: "9", count: 31), nil),
        ])
    func decimal(decimal: String, text: String?) {
        #expect(ChartNumber(decimal: decimal)?.text == text)
    }

    @Test(
        "an axis has steps of 1, 2 or 5, from zero or below the lowest to above the highest",
        arguments: [
            ([0], ["0", "1"]), ([3], ["0", "1", "2", "3"]), ([120_000], ["0", "50,000", "100,000", "150,000"]),
            ([-5, 7], ["-5", "0", "5", "10"]), ([-8], ["-10", "-5", "0"]), ([], ["0", "1"]),
            ([5_000_000], ["0", "2 M", "4 M", "6 M"]), ([1_500_000], ["0", "0.5 M", "1.0 M", "1.5 M"]),
            ([.max], ["0", "5 ×10¹⁸", "10 ×10¹⁸"]),
        ] as [([Int], [String])])
    func axis(values: [Int], ticks: [String]) {
        #expect(ChartAxis(values.map { ChartNumber($0) }, steps: 3, room: 60).ticks.map(\.text) == ticks)
    }

    @Test("an axis of money has parts of one where it needs them")
    func fractions() {
        let axis = ChartAxis(
            [ChartNumber(decimal: "0.30"), ChartNumber(decimal: "-0.1")].compactMap(\.self), steps: 4, room: 60)
        #expect(axis.ticks.map(\.text) == ["-0.1", "0.0", "0.1", "0.2", "0.3"].map { $0 == "0.0" ? "0" : $0 })
    }

    @Test("a line of blocks rises with the numbers, whatever they are")
    func sparkline() {
        func line(_ numbers: [Int?]) -> String { Sparkline.text(numbers.map { $0.map { ChartNumber($0) } }) }
        #expect(line([0, 1, 2, 3, 4, 5, 6, 7]) == "▁▂▃▄▅▆▇█")
        #expect(line([0, 0, 0]) == "▁▁▁" && line([]) == "" && line([nil]) == " ")
        #expect(line([5, 5]) == "██" && line([-5, 0, nil, 5]) == "▁▅ █" && line([-3, -3]) == "▁▁")
        #expect(line([.min, 0, .max]) == "▁▅█")
    }
}
