public import OfferModel

/// Finds whose issued offer a customer has used where it was signed for another one.
///
/// Only a V1 signature can be used so: it names an `appAccountToken` and no transaction. The two customers are not
/// merged for it, because an app may give two Apple Accounts one token.
struct OffersOfOthers {
    let transaction: any StoreTransaction
    let scope: ScopeNumber
    let customer: CustomerNumber

    /// The same redemptions, each with another customer's issued offer where no issued offer of its own customer
    /// explains it.
    ///
    /// They follow from what is stored alone, in whatever order it came. An issued offer that was found before stays
    /// where what it was found by has been erased, on either side.
    func matching(
        _ found: [Redemption], issuedOffers: [IssuedOffer], known: [RecordedRedemption]
    ) throws -> [Redemption] {
        let doubtful = try found.map { try isUnexplained($0) || isSignedForAccountsAlone($0) }
        guard doubtful.contains(true) else { return found }
        let history = try HistoryStore(transaction).history(of: [customer], asOf: .distantFuture)
        let purchases = history.purchases
        return try zip(found, doubtful).map { redemption, isDoubtful in
            guard isDoubtful else { return redemption }
            let claim = history.claim(of: redemption, among: purchases)
            if let claim, let own = issuedOffers.first(where: { $0.id == redemption.issuedOfferId }),
                try explains(own, redemption, claim)
            {
                return redemption
            }
            guard let issuedOffer = try erased(redemption, claim, known) ?? issuedOffer(of: redemption, claim) else {
                return redemption
            }
            var matched = redemption
            matched.issuedOfferId = issuedOffer.id
            matched.isDoubled = false
            matched.isLate = redemption.firstEvidence >= issuedOffer.countsUntil
            return matched
        }
    }

    private typealias Found = (id: LowercaseUUID, countsUntil: Instant)

    private func isUnexplained(_ redemption: Redemption) -> Bool {
        redemption.offerType == .promotional
            && (redemption.issuedOfferId == nil || redemption.isDoubled || redemption.isLate)
    }

    /// Whether the customer's own issued offer holds V1 signatures and no other: then the account of the use tells
    /// whose it was.
    private func isSignedForAccountsAlone(_ redemption: Redemption) throws -> Bool {
        guard redemption.offerType == .promotional, let own = redemption.issuedOfferId else { return false }
        return try transaction.row(
            """
            SELECT 1 FROM issued_offer o WHERE o.id = ?1 AND o.v1_nonce IS NOT NULL AND o.jws_nonce IS NULL
            AND NOT EXISTS (
                SELECT 1 FROM signing s WHERE s.issued_offer = o.sequence AND s.jws_nonce IS NOT NULL
            )
            """, own) != nil
    }

    /// Whether the customer's own issued offer is behind the use nevertheless: it was signed for the account of the
    /// use, or the use is late and the offer waited for a renewal since the issued offer counted.
    private func explains(_ own: IssuedOffer, _ redemption: Redemption, _ claim: RedemptionClaim) throws -> Bool {
        guard claim.since < own.countsUntil else { return false }
        if redemption.isLate, !redemption.isDoubled { return true }
        let tokens = claim.tokens.sorted().map(\.storedValue)
        return try transaction.row(
            """
            SELECT 1 FROM (
                SELECT v1_nonce, app_account_token FROM issued_offer WHERE id = ?1
                UNION ALL
                SELECT s.v1_nonce, s.app_account_token FROM signing s JOIN issued_offer o
                ON o.sequence = s.issued_offer WHERE o.id = ?1
            ) AS signed WHERE v1_nonce IS NOT NULL
            AND app_account_token IN (?*) LIMIT 1
            """, own.id, list: tokens) != nil
    }

    private func issuedOffer(of redemption: Redemption, _ claim: RedemptionClaim?) throws -> Found? {
        guard let claim, let identifier = redemption.offerIdentifier else { return nil }
        let tokens = claim.tokens.sorted().map(\.storedValue)
        func isOfOther(_ signing: String) -> String {
            """
            \(signing).v1_nonce IS NOT NULL AND \(signing).signed_product_id = ?2 AND o.counts_until > ?5
            AND o.offer_identifier = ?6 AND o.subscription_group_identifier = ?7 AND o.customer_id <> ?8
            AND \(signing).app_account_token IN (?*)
            """
        }
        let found: (LowercaseUUID, Instant, Instant, Int64)? = try transaction.first(
            """
            SELECT o.id, o.counts_until, o.issued_at, o.sequence FROM issued_offer o
            WHERE o.scope_id = ?1 AND o.issued_at <= ?3 AND o.sequence < ?4
                AND \(isOfOther("o"))
            UNION ALL
            SELECT o.id, o.counts_until, s.decided_at, s.sequence FROM signing s
            JOIN issued_offer o ON o.sequence = s.issued_offer
            WHERE s.scope_id = ?1 AND s.decided_at <= ?3 AND s.sequence < ?4
                AND \(isOfOther("s"))
            ORDER BY 3 DESC, 4 DESC LIMIT 1
            """, scope, redemption.productId, redemption.firstEvidence, claim.knownFrom, claim.since, identifier,
            redemption.subscriptionGroupIdentifier, customer, list: tokens)
        return found.map { ($0.0, $0.1) }
    }

    /// The issued offer that the same use was found to have taken, where the account is no longer known on one of the
    /// sides.
    private func erased(
        _ redemption: Redemption, _ claim: RedemptionClaim?, _ known: [RecordedRedemption]
    ) throws -> Found? {
        let before = known.first { row in
            row.redemption.offerIdentifier == redemption.offerIdentifier
                && row.redemption.offerType == redemption.offerType
                && row.redemption.subscriptionGroupIdentifier == redemption.subscriptionGroupIdentifier
                && row.redemption.productId == redemption.productId
                && row.redemption.firstEvidence == redemption.firstEvidence
                && row.redemption.issuedOfferId != redemption.issuedOfferId
        }
        guard let id = before?.redemption.issuedOfferId else { return nil }
        let found: (Instant, Bool)? = try transaction.first(
            """
            SELECT counts_until, COALESCE(v1_nonce IS NOT NULL AND app_account_token NOT LIKE ?3, 1 = 0) OR EXISTS (
                SELECT 1 FROM signing s WHERE s.issued_offer = o.sequence AND s.v1_nonce IS NOT NULL
                AND s.app_account_token NOT LIKE ?3
            ) FROM issued_offer o WHERE id = ?1 AND customer_id <> ?2
            """, id, customer, Redacted.prefix + "%")
        guard let (countsUntil, isNamed) = found, claim == nil || !isNamed else { return nil }
        return (id, countsUntil)
    }
}

extension RedemptionStore {
    /// Uses by others of issued offers that were issued to these customers, in the order in which they became known.
    public func usesByOthers(of customers: [CustomerNumber]) throws -> [RecordedRedemption] {
        let uses: [RecordedRedemption] = try transaction.all(
            """
            SELECT \(RecordedRedemption.list("r.")) FROM issued_offer o JOIN redemption r ON r.issued_offer_id = o.id
            WHERE o.customer_id IN (?*) AND o.redemptions > 0 AND r.customer_id NOT IN (?*)
            """, list: customers.map(\.storedValue))
        return uses.sorted { $0.sequence < $1.sequence }
    }

    public func usesOfOthers(by customer: CustomerNumber) throws -> [RecordedRedemption] {
        let uses: [RecordedRedemption] = try transaction.all(
            """
            SELECT \(RecordedRedemption.list("r.")) FROM redemption r JOIN issued_offer o ON o.id = r.issued_offer_id
            WHERE r.customer_id = ?1 AND o.customer_id <> ?1
            """, customer)
        return uses.sorted { $0.sequence < $1.sequence }
    }

    /// The owners of issued offers that a customer's change uses, or no longer uses.
    func owners(of change: RedemptionChange, besides customer: CustomerNumber) throws -> [CustomerNumber] {
        let issuedOffers = Set((change.added + change.removed).compactMap(\.redemption.issuedOfferId)).sorted()
        guard !issuedOffers.isEmpty else { return [] }
        let owners: [CustomerNumber] = try transaction.all(
            "SELECT customer_id FROM issued_offer WHERE id IN (?*)", list: issuedOffers.map(\.storedValue))
        return Set(owners).subtracting([customer]).sorted()
    }
}

extension RecordedRedemption {
    /// The use, as the owner of the issued offer sees it.
    public var evidence: KeptEvidence? { KeptEvidence(ofAnother: redemption, sequence: sequence) }
}
