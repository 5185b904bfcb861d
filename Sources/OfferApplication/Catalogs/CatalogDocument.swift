public import OfferModel

/// A catalog as it was applied: the text itself, comments and all.
public struct CatalogDocument: Sendable, Hashable {
    /// How the text is written.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// YAML.
        case yaml
        /// JSON.
        case json
    }

    /// The revision; 0 is the empty catalog nobody has applied.
    public var revision: Int
    /// The text.
    public var text: String
    /// How the text is written.
    public var format: Format

    /// A document by its parts.
    public init(revision: Int, text: String, format: Format) {
        self.revision = revision
        self.text = text
        self.format = format
    }
}

/// What applying a document changed.
public struct CatalogApplied: Sendable, Hashable {
    /// The revision now in force; a document equal to the one in force makes no new one.
    public var revision: Int
    /// The differences.
    public var changes: [CatalogChange]

    /// A result by its parts.
    public init(revision: Int, changes: [CatalogChange]) {
        self.revision = revision
        self.changes = changes
    }
}

/// One difference between two catalogs.
public struct CatalogChange: Sendable, Hashable {
    /// What happened.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Something new.
        case added
        /// Another value.
        case changed
        /// Something gone.
        case removed
    }

    /// The offer; absent for a change of the products.
    public var offerId: OfferId?
    /// What happened.
    public var kind: Kind
    /// The field; absent if the whole offer came or went.
    public var path: String?
    /// The old value as text.
    public var from: String?
    /// The new value as text.
    public var to: String?

    /// A difference by its parts.
    public init(offerId: OfferId?, kind: Kind, path: String? = nil, from: String? = nil, to: String? = nil) {
        self.offerId = offerId
        self.kind = kind
        self.path = path
        self.from = from
        self.to = to
    }
}
