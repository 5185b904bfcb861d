public import OfferStore

/// How far an import is, for whoever watches.
public struct ImportProgress: Sendable, Hashable {
    /// What is done at the moment.
    public var stage: ImportStage
    /// How much of the stage is done, of ``total``.
    public var done: Int64
    /// How much there is: units of the source while it is read, payloads while they are applied.
    public var total: Int64
    /// Lines read or payloads applied since this process began with the stage.
    public var items: Int64
}

/// What an import, or its rehearsal, came to.
public struct ImportReport: Sendable, Hashable {
    /// What was done; of a rehearsal what would be.
    public var counts: ImportCounts
    /// How many lines were refused, by reason.
    public var refused: [String: Int64]
    /// Whether an interrupted import was taken up.
    public var isResumed: Bool

    /// A report by its parts.
    public init(counts: ImportCounts, refused: [String: Int64] = [:], isResumed: Bool = false) {
        self.counts = counts
        self.refused = refused
        self.isResumed = isResumed
    }
}

/// Why an import does not begin.
public enum ImportError: Error, Sendable, Hashable {
    /// Another source of the same kind was begun and not finished.
    case anotherIsOpen(ImportRun)
}
