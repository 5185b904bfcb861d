/// The difference of two shares with a 95 % interval by Newcombe's hybrid of Wilson scores (R. G. Newcombe, "Interval
/// estimation for the difference between independent proportions", Statistics in Medicine 17, 1998, method 10).
///
/// With p the share of n, z the normal quantile and l, u the Wilson bounds
/// `(p + z²/2n ∓ z √(p(1−p)/n + z²/4n²)) / (1 + z²/n)` of each share, the interval is
/// `d − √((p₁−l₁)² + (u₂−p₂)²)` to `d + √((u₁−p₁)² + (p₂−l₂)²)`. It never leaves −1 to 1 and holds for shares of 0 and
/// 1.
public struct ProportionDifference: Sendable, Hashable {
    /// How many of how many.
    public struct Share: Sendable, Hashable {
        public var count: Int
        public var of: Int

        public init(_ count: Int, of: Int) {
            self.count = count
            self.of = of
        }
    }

    /// The first share minus the second.
    public let difference: Double
    public let lower: Double
    public let upper: Double

    public static let level = 0.95
    /// The two-sided normal quantile of that confidence.
    private static let quantile = 1.959963984540054

    /// `nil` if one of the groups is empty.
    public init?(_ first: Share, minus second: Share) {
        guard let own = WilsonInterval(first, quantile: Self.quantile),
            let other = WilsonInterval(second, quantile: Self.quantile)
        else { return nil }
        difference = own.share - other.share
        lower = difference - Self.length(own.share - own.lower, other.upper - other.share)
        upper = difference + Self.length(own.upper - own.share, other.share - other.lower)
    }

    private static func length(_ side: Double, _ other: Double) -> Double {
        (side * side + other * other).squareRoot()
    }
}

private struct WilsonInterval {
    let share: Double
    let lower: Double
    let upper: Double

    init?(_ share: ProportionDifference.Share, quantile: Double) {
        guard share.of > 0, (0...share.of).contains(share.count) else { return nil }
        let count = Double(share.of)
        let proportion = Double(share.count) / count
        let square = quantile * quantile
        let middle = proportion + square / (2 * count)
        let spread = proportion * (1 - proportion) / count + square / (4 * count * count)
        let reach = quantile * spread.squareRoot()
        let scale = 1 + square / count
        self.share = proportion
        lower = share.count == 0 ? 0 : (middle - reach) / scale
        upper = share.count == share.of ? 1 : (middle + reach) / scale
    }
}
