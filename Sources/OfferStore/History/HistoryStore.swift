public import OfferEligibility
public import OfferModel

/// The history of purchases: rows never change, and only copies that say nothing new are removed, see ``SignedCopies``.
public struct HistoryStore {
    let transaction: any StoreTransaction

    /// The history as this transaction sees it.
    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// What matters of everything known of these customers, united, with the least coverage of theirs (docs/design.md#identity).
    ///
    /// Of each transaction and app transaction that is the current view; of renewal info also every older one that names
    /// an offer, as evidence.
    ///
    /// A customer known by aliases only is no Apple account of which more could be unknown, so beside proven customers
    /// it does not lessen the coverage.
    ///
    /// - Throws: ``StoreError``.
    public func history(of customers: [CustomerNumber]) throws -> History {
        try history(of: customers, asOf: nil)
    }

    /// Everything of these customers that was signed by an earlier instant, united, with the least coverage stated by then.
    ///
    /// Every stored row and not only the current view, because what has taken a row's place since was not signed then. Who is one
    /// customer is as known now: a merge is not undone, nor what it took from the coverage.
    ///
    /// - Throws: ``StoreError``.
    public func history(of customers: [CustomerNumber], asOf instant: Instant) throws -> History {
        try history(of: customers, asOf: Optional(instant))
    }

    /// Whether any row of a customer, current or not, names an offer.
    ///
    /// - Throws: ``StoreError``.
    func namesOffers(of customer: CustomerNumber) throws -> Bool {
        try [Transaction.sql.selectOffer, RenewalInfo.sql.selectOffer].contains { sql in
            try transaction.row(Statement(sql, customer)) != nil
        }
    }

    private func history(of customers: [CustomerNumber], asOf instant: Instant?) throws -> History {
        guard !customers.isEmpty else { return History() }
        var history = History()
        var owners = Set<CustomerNumber>()
        history.transactions = try read(customers, asOf: instant, owners: &owners)
        history.renewalInfos = try read(customers, asOf: instant, owners: &owners)
        history.appTransactions = try read(customers, asOf: instant, owners: &owners)
        let coverage = CoverageStore(transaction)
        let relevant = owners.isEmpty ? Set(customers) : owners
        history.coverage =
            try relevant.sorted()
            .map {
                try coverage.coverage(of: $0, asOf: instant ?? .distantFuture)
                    ?? Coverage(level: owners.contains($0) ? .partial : .none)
            }
            .min(by: CoverageStore.isLess) ?? .none
        return history
    }

    // Inlined, so that it is made once for each payload.
    @inline(__always)
    private func read<Payload: HistoryRecord>(
        _ customers: [CustomerNumber], asOf instant: Instant?, owners: inout Set<CustomerNumber>
    ) throws -> [Recorded<Payload>] {
        let numbers = customers.map(\.storedValue)
        let statement =
            if let instant {
                Statement(
                    Payload.sql.selectSigned(customers: customers.count), values: numbers + [instant.storedValue])
            } else {
                Statement(Payload.sql.select(customers: customers.count), values: numbers)
            }
        var found = owners
        var latest: CustomerNumber?
        defer { owners = found }
        return try statement.all(in: transaction) { row in
            let owner: CustomerNumber = try row.next()
            // Nearly every row has the owner of the one before.
            if owner != latest {
                found.insert(owner)
                latest = owner
            }
            return try Recorded(reading: &row)
        }
    }
}
