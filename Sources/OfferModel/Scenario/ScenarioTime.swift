/// A moment in a scenario: fixed, or counted back from the moment of playing, so that an example never goes stale.
public enum ScenarioTime: Sendable, Hashable {
    /// A moment with its offset: `2026-11-01T00:00:00Z`.
    case fixed(Instant)
    /// So long before the scenario is played: `-P40D`.
    case ago(Period)
    /// The moment the scenario is played: `now`.
    case now

    /// Reads `now`, a minus sign and an ISO 8601 period of at most 100 years, or a moment with an offset; `nil` for
    /// anything else.
    public init?(_ text: String) {
        if text == "now" {
            self = .now
        } else if text.utf8.first == UInt8(ascii: "-"), let period = Period(text.dropFirst()) {
            self = .ago(period)
        } else if let instant = Instant(iso8601: text) {
            self = .fixed(instant)
        } else {
            return nil
        }
    }

    /// The moment meant when the scenario is played at `now`; calendar months are counted back in UTC.
    public func instant(now: Instant) -> Instant {
        switch self {
        case .fixed(let instant):
            instant
        case .ago(let period):
            now.adding(period.multiplied(by: -1))
        case .now:
            now
        }
    }
}

extension ScenarioTime: CustomStringConvertible {
    /// The spelling of a scenario document.
    public var description: String {
        switch self {
        case .fixed(let instant): instant.description
        case .ago(let period): "-\(period)"
        case .now: "now"
        }
    }
}
