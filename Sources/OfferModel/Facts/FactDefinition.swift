/// What a fact means: an entry of the closed, typed vocabulary that catalogs may use (docs/design.md#decisions).
public struct FactDefinition: Sendable, Hashable {
    /// The dotted name.
    public let name: String
    /// The type of its values.
    public let type: FactType
    /// The unit of a number.
    public let unit: String?
    /// What it says, in a sentence.
    public let meaning: String
    /// What makes it undetermined; silence is never zero.
    public let unknownWhen: String
    /// The only values of a text, if they are closed.
    public let values: [String]?
    /// The smallest value of a number.
    public let minimum: Double?
    /// Whose word it is.
    public let source: FactSource

    init(
        _ name: String, _ type: FactType, unit: String? = nil, _ meaning: String, unknownWhen: String,
        values: [String]? = nil, source: FactSource
    ) {
        self.name = name
        self.type = type
        self.unit = unit
        self.meaning = meaning
        self.unknownWhen = unknownWhen
        self.values = values
        minimum = type == .number ? 0 : nil
        self.source = source
    }
}

/// Whose word a fact is; what the backend says has names of its own, so it never outranks what Apple signed.
public enum FactSource: String, Sendable, Hashable, CaseIterable {
    /// The customer's history; every piece of evidence names the provenance of its row.
    case history
    /// The history together with what `offerd` itself recorded.
    case record
    /// The backend's word.
    case caller
}

/// Facts whose names end in a word that the vocabulary does not close.
public struct FactFamily: Sendable, Hashable {
    /// What every name of the family begins with, the dot included.
    public let prefix: String
    /// What the ending is: `name` or `offerId`.
    public let ending: String
    /// The type of the values; `nil` where the first use in the catalog says it.
    public let type: FactType?
    /// The unit of a number.
    public let unit: String?
    /// What it says, in a sentence.
    public let meaning: String
    /// What makes it undetermined.
    public let unknownWhen: String
    /// Whose word it is.
    public let source: FactSource

    /// The name with a placeholder for its ending: `signals.<name>`.
    public var name: String { "\(prefix)<\(ending)>" }
}
