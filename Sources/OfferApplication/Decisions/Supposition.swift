public import OfferModel

/// What a dry-run supposes instead of what is the case; nothing of it is kept (invariant 4).
public struct WhatIf: Sendable, Hashable {
    /// The catalog to decide by.
    public enum Catalog: Sendable, Hashable {
        /// A document, YAML or JSON, that need never have been applied.
        case document(String)
        /// A revision that was.
        case revision(Int)
    }

    /// The instant to decide at, past or to come: what was signed, bought or issued after it is not known (docs/design.md#history-and-state).
    public var asOf: Instant?
    /// The history in place of the stored one.
    public var history: SuppliedHistory?
    /// The catalog in place of the one in force at that instant.
    public var catalog: Catalog?

    /// Whether nothing is supposed.
    var isEmpty: Bool { asOf == nil && history == nil && catalog == nil }

    /// Nothing is supposed without any part.
    public init(asOf: Instant? = nil, history: SuppliedHistory? = nil, catalog: Catalog? = nil) {
        self.asOf = asOf
        self.history = history
        self.catalog = catalog
    }
}
