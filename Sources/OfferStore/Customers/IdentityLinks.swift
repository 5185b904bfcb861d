import OfferModel

/// Finds, adds and merges customers by the identifiers that stand together in one signed payload (docs/design.md#identity).
///
/// The customers are the connected parts of a graph: identifiers are its nodes, payloads its edges. So the order of
/// arrival never changes who is one customer (invariant 7).
struct IdentityLinks {
    let transaction: any StoreTransaction
    let scope: ScopeNumber
    let now: Instant
    /// Of the catalog in force: a merge has to know which slots were redeemed.
    let offers: [Offer]
    /// A merge reads the history of both.
    let changedHistory: ChangedHistory

    private var customers: CustomerStore { CustomerStore(transaction) }

    /// The customer of these identifiers, which one payload holds together.
    ///
    /// - Parameters:
    ///   - isProven: whether a signature stands behind the payload; without one nothing is merged, and only the first
    ///     identifier counts.
    ///   - source: the payload.
    func customer(
        linking identifiers: [ProvenIdentifier], isProven: Bool, from source: IdentifierSource
    ) throws -> CustomerNumber {
        let linked = isProven ? identifiers : Array(identifiers.prefix(1))
        var known = [ProvenIdentifier: Known]()
        for identifier in linked {
            known[identifier] = try find(identifier)
        }
        let found = Set(known.values.map(\.customer)).sorted()
        var customer: CustomerNumber
        if let first = found.first {
            customer = first
            if found.count > 1 {
                try changedHistory.update()
                customer = try CustomerMerge(
                    transaction: transaction, scope: scope, now: now, offers: offers, source: source
                ).merge(found, by: linked)
            }
        } else {
            customer = try customers.add(rolloutKey: rolloutKey(linked), at: now, in: scope)
        }
        for identifier in linked {
            try store(identifier, known: known[identifier], of: customer, isProven: isProven, from: source)
        }
        for case .originalTransactionId(let id) in linked where isProven {
            guard known[.originalTransactionId(id)]?.isProven != true else { continue }
            customer = try linkWaitingRenewalInfo(of: id, customer: customer)
        }
        return customer
    }

    /// Whether a verified transaction names it.
    func isProven(_ identifier: ProvenIdentifier) throws -> Bool {
        try find(identifier)?.isProven == true
    }

    /// Renewal info may arrive before the transaction that proves its subscription to be of this app; what it links and
    /// names takes effect with that transaction.
    private func linkWaitingRenewalInfo(of id: TransactionId, customer: CustomerNumber) throws -> CustomerNumber {
        let rows = try transaction.rows(
            Statement(
                """
                SELECT DISTINCT app_transaction_id, app_account_token, provenance FROM history_renewal_info
                WHERE scope_id = ?1 AND original_transaction_id = ?2 AND is_proven = 1
                """, scope, id))
        var customer = customer
        for row in rows {
            let source = IdentifierSource(renewalInfoOf: id, provenance: try row.value(2))
            if let appTransactionId: AppTransactionId = try row.value(0) {
                customer = try self.customer(
                    linking: [.originalTransactionId(id), .appTransactionId(appTransactionId)], isProven: true,
                    from: source)
            }
            if let token: AppAccountToken = try row.value(1) {
                try customers.attach([.appAccountToken(token)], to: [customer], from: source, at: now, in: scope)
            }
        }
        return customer
    }

    private struct Known {
        let customer: CustomerNumber
        let isProven: Bool
        /// Whether only its digest is stored, because the customer's data was erased.
        var isErased = false
    }

    private func find(_ identifier: ProvenIdentifier) throws -> Known? {
        let row = try transaction.row(
            Statement(
                """
                SELECT customer_id, is_proven FROM customer_identifier
                WHERE scope_id = ?1 AND kind = ?2 AND value = ?3
                """, scope, identifier.kind, identifier.value))
        if let row { return Known(customer: try row.value(0), isProven: try row.value(1)) }
        return try ErasedIdentifierStore(transaction: transaction, scope: scope).customer(identifier)
            .map { Known(customer: $0, isProven: false, isErased: true) }
    }

    private func store(
        _ identifier: ProvenIdentifier, known: Known?, of customer: CustomerNumber, isProven: Bool,
        from source: IdentifierSource
    ) throws {
        if known?.isErased == true {
            try ErasedIdentifierStore(transaction: transaction, scope: scope).bringBack(identifier, of: customer)
        }
        if known == nil || known?.isErased == true {
            try transaction.execute(
                Statement(
                    """
                    INSERT INTO customer_identifier (
                        scope_id, kind, value, customer_id, is_proven, first_stored_at, provenance, transaction_id
                    )
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                    """, scope, identifier.kind, identifier.value, customer, isProven, now, source.provenance,
                    source.transactionId))
        } else if isProven, known?.isProven == false {
            try transaction.execute(
                Statement(
                    """
                    UPDATE customer_identifier SET is_proven = 1, provenance = ?4, transaction_id = ?5
                    WHERE scope_id = ?1 AND kind = ?2 AND value = ?3
                    """, scope, identifier.kind, identifier.value, source.provenance, source.transactionId))
        }
    }

    /// `appTransactionId` before `originalTransactionId` (docs/design.md#decisions).
    private func rolloutKey(_ identifiers: [ProvenIdentifier]) -> String {
        let preferred = identifiers.first { identifier in
            if case .appTransactionId = identifier { true } else { false }
        }
        return (preferred ?? identifiers.first)?.value ?? ""
    }
}
