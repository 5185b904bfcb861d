/// How complete a history is, as of an instant.
public struct Coverage: Sendable, Hashable {
    public enum Level: String, Sendable, Hashable, CaseIterable, Codable, Comparable {
        case none, partial, complete

        public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .none: 0
            case .partial: 1
            case .complete: 2
            }
        }
    }

    public var level: Level
    /// When a complete history was fetched or stated.
    public var asOf: Instant?
    public var provenance: Provenance?

    public init(level: Level, asOf: Instant? = nil, provenance: Provenance? = nil) {
        self.level = level
        self.asOf = asOf
        self.provenance = provenance
    }

    public static let none = Coverage(level: .none)
}
