import Charts
import OfferTestSupport
import Testing

@Suite("Golden charts")
struct ChartGoldenTests {
    @Test("each kind of chart is Tests/Goldens/charts/NAME.svg", arguments: GoldenCharts.all)
    func golden(_ golden: GoldenCharts) throws {
        let svg = Chart.svg(golden.charts, id: golden.name, width: 640)
        #expect(try Golden("charts/\(golden.name).svg").difference(from: svg) == nil)
    }

    @Test("the picture of docs/reports.md is what is drawn today")
    func picture() throws {
        let golden = try #require(GoldenCharts.all.first)
        let svg = Chart.svg(golden.charts, id: golden.name, width: 640)
        #expect(try Golden("../../docs/images/funnel.svg").difference(from: svg) == nil)
    }

    @Test("each kind fits every width without texts that cover each other", arguments: GoldenCharts.all)
    func widths(_ golden: GoldenCharts) {
        for width in [-1, 320, 360, 480, 559, 560, 800, 1_200, 5_000] {
            let drawn = DrawnChart(Chart.svg(golden.charts, id: "a", width: width))
            #expect(drawn.isWellFormed && drawn.width == Double(min(max(width, 320), 1_200)))
            #expect(drawn.overlaps == [], "\(width)")
            #expect(drawn.outside == [], "\(width)")
        }
    }
}
