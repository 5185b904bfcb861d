public import OfferModel

/// What one bulk import is of; two runs with the same terms are one, so an interrupted one goes on.
public struct ImportTerms: Sendable, Hashable {
    /// The kind of source, such as `transactions`: at most one import of a kind is open in a scope.
    public var source: String
    /// Who stands behind it: `operator` or `receipt`, never proven.
    public var provenance: Provenance
    /// 32 bytes of what is read and how it is read, so that another file is never taken for the rest of this one.
    public var digest: [UInt8]
    /// The instant up to which the operator says that nothing is missing; `nil` if nobody says so.
    public var completeAsOf: Instant?

    /// Terms by their parts.
    public init(source: String, provenance: Provenance, digest: [UInt8], completeAsOf: Instant? = nil) {
        self.source = source
        self.provenance = provenance
        self.digest = digest
        self.completeAsOf = completeAsOf
    }
}

/// How far a bulk import is.
public enum ImportStage: String, Sendable, Hashable, CaseIterable, Storable {
    /// The source is read into the staging table.
    case staging
    /// What was staged becomes history, subscription by subscription in the order of their ids.
    case applying
    /// The operator's word that nothing is missing is noted.
    case stating
    /// What was staged is cleared away.
    case closing
    /// Everything is done.
    case closed
}

/// What a bulk import has done so far.
public struct ImportCounts: Sendable, Hashable {
    /// Lines read, refused ones too.
    public var lines: Int64 = 0
    /// Lines refused.
    public var refused: Int64 = 0
    /// Refused lines that may have told of a purchase in this app and environment.
    public var gaps: Int64 = 0
    /// Payloads staged.
    public var staged: Int64 = 0
    /// Staged payloads applied.
    public var applied: Int64 = 0
    /// Payloads of something never seen before.
    public var added: Int64 = 0
    /// Payloads that are a newer view of something known before.
    public var updated: Int64 = 0
    /// Payloads known before, or older than what was known.
    public var unchanged: Int64 = 0
    /// Payloads whose id stood further up in the same source.
    public var repeated: Int64 = 0
    /// Subscriptions applied, and app transactions without one.
    public var subscriptions: Int64 = 0
    /// Customers of whom it was noted that nothing is missing.
    public var stated: Int64 = 0

    /// Nothing done yet.
    public init() {}
}

/// One bulk import as it is stored.
public struct ImportRun: Sendable, Hashable {
    /// The store's own number of it.
    public var number: Int64
    /// What it is of.
    public var terms: ImportTerms
    /// When it was begun.
    public var beganAt: Instant
    /// How far it is.
    public var stage: ImportStage
    /// Where the source is read on.
    public var position: Int64
    /// The staged row that was applied last, in the order of subscriptions.
    public var cursor: ImportCursor
    /// What it has done so far.
    public var counts: ImportCounts
}

/// A place among staged rows in the order in which they are applied.
public struct ImportCursor: Sendable, Hashable {
    /// The id of the subscription, or of the Apple Account where there is none.
    public var key: String
    /// The row's number.
    public var row: Int64

    /// Before every row.
    public static let start = ImportCursor(key: "", row: 0)

    /// A place by its parts.
    public init(key: String, row: Int64) {
        self.key = key
        self.row = row
    }
}
