import OfferModel
import Testing

@Suite("the difference of two shares")
struct ProportionDifferenceTests {
    /// Newcombe (1998), Statistics in Medicine 17:873–890, table II, method 10; statsmodels 0.15.0
    /// (`confint_proportions_2indep(…, method="newcomb")`) gives the same.
    private static let published: [(first: (Int, Int), second: (Int, Int), lower: Double, upper: Double)] = [
        ((56, 70), (48, 80), 0.0524, 0.3339), ((9, 10), (3, 10), 0.1705, 0.8090), ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926), ((0, 10), (0, 20), -0.1611, 0.2775), ((0, 10), (0, 10), -0.2775, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1), ((10, 10), (0, 10), 0.6075, 1),
    ]

    @Test("its interval is the published one", arguments: published.indices)
    func interval(_ index: Int) throws {
        let row = Self.published[index]
        let found = try #require(
            ProportionDifference(.init(row.first.0, of: row.first.1), minus: .init(row.second.0, of: row.second.1)))
        #expect(abs(found.lower - row.lower) <= 0.00006, "\(found.lower)")
        #expect(abs(found.upper - row.upper) <= 0.00006, "\(found.upper)")
        let share = Double(row.first.0) / Double(row.first.1) - Double(row.second.0) / Double(row.second.1)
        #expect(found.difference == share)
    }

    @Test("turned around it is the same with the other sign, and it never leaves −1 to 1")
    func symmetric() throws {
        for row in Self.published {
            let (first, second) = (
                ProportionDifference.Share(row.first.0, of: row.first.1),
                ProportionDifference.Share(row.second.0, of: row.second.1)
            )
            let forth = try #require(ProportionDifference(first, minus: second))
            let back = try #require(ProportionDifference(second, minus: first))
            #expect(abs(forth.lower + back.upper) < 1e-12 && abs(forth.upper + back.lower) < 1e-12)
            #expect(forth.lower >= -1 && forth.upper <= 1 && forth.lower <= forth.upper)
        }
    }

    @Test("of nobody there is no share")
    func empty() {
        #expect(ProportionDifference(.init(0, of: 0), minus: .init(1, of: 2)) == nil)
        #expect(ProportionDifference(.init(1, of: 2), minus: .init(0, of: 0)) == nil)
    }
}
