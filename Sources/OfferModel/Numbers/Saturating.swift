extension FixedWidthInteger {
    /// The sum, or the end of the range that it would pass.
    @inlinable
    public func saturatingAdding(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    @inlinable
    public func saturatingSubtracting(_ other: Self) -> Self {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    @inlinable
    public func saturatingMultiplied(by other: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }

    /// The nearest whole number below, or the end of the range that it lies beyond; zero for what is not a number.
    @inlinable
    public init(saturating number: Double) {
        let whole = number.rounded(.down)
        self = Self(exactly: whole) ?? (whole > 0 ? .max : whole < 0 ? .min : 0)
    }
}

extension Sequence where Element: FixedWidthInteger {
    @inlinable
    public func saturatingSum() -> Element {
        reduce(0) { $0.saturatingAdding($1) }
    }
}

/// Bounds of input from outside: requests, documents, imports, Apple's payloads and database rows.
///
/// Each value is held to its bound where it enters, by an error that names its member; within these bounds a sum or a
/// product of a few values stays inside 64 bits.
public enum InputBounds {
    /// Whole numbers: those that every JSON reader holds exactly (RFC 7493, section 2.2).
    public static let integers: ClosedRange<Int64> = -9_007_199_254_740_991...9_007_199_254_740_991

    /// Dates: 1970 to the end of the year 9999, for which ISO 8601 and month arithmetic hold.
    public static let instants = Instant(milliseconds: 0)...Instant(milliseconds: 253_402_300_799_999)

    /// The longest period, in years; it bounds months, days and time each.
    public static let longestPeriod = 100

    /// Whole numbers of a database row: wider than ``integers``, because totals add many of those up, and with room for
    /// sums of several rows.
    public static let storedIntegers: ClosedRange<Int64> = -(1 << 60)...(1 << 60)
}
