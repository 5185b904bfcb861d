/// Facts about the device that asks; each raw value follows `request.`.
public enum RequestFact: String, Sendable, Hashable, CaseIterable {
    /// The app's version.
    case appVersion
    /// The operating system's version.
    case osVersion
    /// The language and region.
    case locale

    static let prefix = "request."

    /// What it means. Built once, because every comparison asks for it.
    public var definition: FactDefinition { Self.definitions[self] ?? made }

    private static let definitions = Dictionary(allCases.map { ($0, $0.made) }) { first, _ in first }

    private var made: FactDefinition {
        switch self {
        case .appVersion: fact(.version, "the app's version", unknownWhen: Self.unreadable)
        case .osVersion: fact(.version, "the operating system's version", unknownWhen: Self.unreadable)
        case .locale: fact(.locale, "the customer's language and region", unknownWhen: "the request does not state it")
        }
    }

    private static let unreadable = "the request does not state it, or it is not numbers and dots"

    private func fact(_ type: FactType, _ meaning: String, unknownWhen: String) -> FactDefinition {
        FactDefinition(Self.prefix + rawValue, type, meaning, unknownWhen: unknownWhen, source: .caller)
    }
}
