import OfferModel

/// What one durable transaction knows of the rows that nearly every body reads and changes: the store's clock, the audit's
/// head, the generations, the counters.
///
/// Only for as long as the transaction: until it ends nobody else can write, so what was read once still holds, and what
/// has changed need be written once. A driver makes one when it begins, hands it to every body, goes back to the
/// ``mark`` of a body that it undoes, and has ``write(to:)`` called before it commits.
public final class WriteMemory {
    /// The state to go back to if what was done since is undone.
    public struct Mark {
        fileprivate let contents: Contents
    }

    struct Contents {
        /// `store_state`, as the transaction sees it.
        var clock: StoreClock.State?
        /// Whether that has yet to be written.
        var isClockChanged = false
        /// The newest event of the audit.
        var auditHead: AuditHead?
        /// Whether a catalog was put in force.
        var hasNewCatalog = false
        /// The generation of each scope that was asked for.
        var generations: [ScopeNumber: Int64] = [:]
        /// The counters of each offer that was issued or asked about.
        var counters: [RememberedCounters.Place: RememberedCounters] = [:]
        /// Redemptions without an issued offer, by product.
        var unmatched: [UnmatchedPlace: [String: Int]] = [:]
    }

    var contents = Contents()

    /// Nothing is known yet.
    public init() {}

    /// Whether a catalog was put in force in this transaction. It may yet be undone, and another take its number: nobody may
    /// remember it for longer.
    public var hasNewCatalog: Bool { contents.hasNewCatalog }

    /// What is known now.
    public var mark: Mark { Mark(contents: contents) }

    /// Forgets what was learned since a mark, because the statements since then were undone.
    public func goBack(to mark: Mark) {
        contents = mark.contents
    }

    /// Writes what was only remembered.
    ///
    /// - Throws: ``StoreError``; then nothing of the transaction may be committed.
    public func write(to transaction: any StoreTransaction) throws {
        try writeCounters(to: transaction)
        guard contents.isClockChanged, let clock = contents.clock else { return }
        try StoreClock(transaction).write(clock)
        contents.isClockChanged = false
    }
}
