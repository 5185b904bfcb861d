extension FixedWidthInteger {
    /// The sum, or the end of the range that it would pass.
    @inlinable
    public func saturatingAdding(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the end of the range that it would pass.
    @inlinable
    public func saturatingSubtracting(_ other: Self) -> Self {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    /// The product, or the end of the range that it would pass.
    @inlinable
    public func saturatingMultiplied(by other: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }

    /// The nearest whole number below, or the end of the range that it lies beyond; zero for what is no number.
    @inlinable
    public init(saturating number: Double) {
        let whole = number.rounded(.down)
        self = Self(exactly: whole) ?? (whole > 0 ? .max : whole < 0 ? .min : 0)
    }
}

extension Sequence where Element: FixedWidthInteger {
    /// The sum, or the end of the range that it would pass.
    @inlinable
    public func saturatingSum() -> Element {
        reduce(0) { $0.saturatingAdding($1) }
    }
}
