/// A moment in time: milliseconds since 1970-01-01T00:00:00Z, the unit of every date Apple sends and of our API.
public struct Instant: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let milliseconds: Int64

    /// A moment by its milliseconds since 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The earliest moment that can be expressed.
    public static let distantPast = Instant(milliseconds: .min)
    /// The latest moment that can be expressed.
    public static let distantFuture = Instant(milliseconds: .max)

    /// Whole UNIX seconds, rounded down: the unit of a JWS `iat`.
    public var seconds: Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Earlier means smaller.
    public static func < (left: Self, right: Self) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The moment so many milliseconds later; stays at the end of the range instead of overflowing.
    public func adding(milliseconds delta: Int64) -> Instant {
        Instant(milliseconds: milliseconds.saturatingAdding(delta))
    }

    /// Milliseconds from `earlier` to this moment; stays at the end of the range instead of overflowing.
    public func milliseconds(since earlier: Instant) -> Int64 {
        milliseconds.saturatingSubtracting(earlier.milliseconds)
    }

    /// Whole days of 86,400,000 ms from `earlier` to this moment, rounded down.
    public func days(since earlier: Instant) -> Int64 {
        let delta = milliseconds(since: earlier)
        let (quotient, remainder) = delta.quotientAndRemainder(dividingBy: Duration.day)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Lengths of time in milliseconds.
    public enum Duration {
        /// One second.
        public static let second: Int64 = 1_000
        /// One minute.
        public static let minute: Int64 = 60 * second
        /// One hour.
        public static let hour: Int64 = 60 * minute
        /// One day of 24 hours.
        public static let day: Int64 = 24 * hour
    }
}

extension Instant: Codable {
    /// Reads a number of milliseconds; a fraction, as Xcode emits it, is rounded down.
    ///
    /// - Throws: `DecodingError.dataCorrupted` for a number outside the range of 64-bit milliseconds.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let whole = try? container.decode(Int64.self) {
            self.init(milliseconds: whole)
            return
        }
        let number = try container.decode(Double.self).rounded(.down)
        guard let whole = Int64(exactly: number) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "`\(number)` is not a time in ms")
        }
        self.init(milliseconds: whole)
    }

    /// Writes a whole number of milliseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}
