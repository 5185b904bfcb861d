import OfferModel

/// What an erasure of a customer takes away, as it was found before anything is held for it.
public struct ErasurePlan: Sendable, Hashable {
    /// Whose data it is: the customers that the identifiers name.
    public var customers: [CustomerNumber]
    /// The same with those who were merged into them.
    public var chain: [CustomerNumber]
    /// How many rows of each table are deleted, blanked in part, or stay, by table; those without a row are left out.
    public var rows: [String: Int]
    /// Decisions about others, or about nobody known, whose record names the customer.
    public var mentions: [LedgerRowKey]
    /// How many other customers share an alias; they keep it.
    public var sharing: Int

    /// What it rests on: none of the customers has changed while this holds.
    let version: SubjectVersion
    /// Renewal infos that name the customer's Apple account and belong to nobody yet.
    let waiting: [Int64]
    /// Up to where the decisions and the history were looked through.
    let searchedTo: Int64
    /// Up to where the events were looked through.
    let eventsTo: Int64
    /// The key with which the digests of a row of the ledger were taken, if it is not the configured one.
    let otherKeys: [LedgerRowKey: String]
}

/// One row of a table that the audit covers.
public struct LedgerRowKey: Hashable, Sendable {
    public let table: String
    public let key: Int64
}

/// Why a customer's data is not erased.
public enum ErasureRefusal: Error, Sendable, Hashable {
    /// The configuration names no key for digests, so what stays could be guessed by whoever has the file.
    case noDigestKey
    /// Rows of the ledger, or the digests of customers erased before, were recorded under another digest key than the
    /// configured one.
    case otherDigestKey(String)
    /// Data about the customer went on arriving.
    case changing
}

/// What an erasure has taken away.
public struct ErasureOutcome: Sendable, Hashable {
    /// How many texts a keyed digest stands for now.
    public var digested = 0
    /// How many rows were deleted, by table.
    public var deleted: [String: Int] = [:]
    /// How many customers were erased; an event tells of each.
    public var customers = 0
}
