public import OfferModel

/// The time zones that reports know by name.
///
/// The layers below the programs have no time zone database, so the program that wires them brings one.
public struct TimeZones: Sendable {
    package let calendar: @Sendable (String) -> LocalCalendar?

    /// - Parameter offsets: for the name of a zone, such as `Europe/Berlin`, the milliseconds by which it is ahead of UTC at
    ///   an instant, less than 24 hours; `nil` for a name that is unknown.
    public init(_ offsets: @escaping @Sendable (String) -> (@Sendable (Instant) -> Int64)?) {
        calendar = { name in
            name == Self.utcName ? .utc : offsets(name).map { LocalCalendar(offset: $0) }
        }
    }

    static let utcName = "UTC"

    public static let onlyUTC = TimeZones { _ in nil }
}
