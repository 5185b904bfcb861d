import OfferAPI
import OfferModel
import OfferStore

/// Which use of a customer was of another one's V1 offer, told by the plainest reading of the tables.
struct ForeignIssuedOffers {
    private struct Signed {
        var issuedOffer: LowercaseUUID
        var owner: Int64
        var identifier: String
        var product: String
        var token: String
        var signedAt: Instant
        var countsUntil: Instant
    }

    private let customer: Int64
    private let signed: [Signed]
    private let history: History
    private let known: [RecordedRedemption]
    /// The formats of each issued offer's signatures.
    private let formats: [LowercaseUUID: Set<String>]

    init(_ transaction: any StoreTransaction, of number: CustomerNumber) throws {
        customer = number.rawValue
        history = try HistoryStore(transaction).history(of: [number], asOf: .distantFuture)
        formats = try transaction.rows(
            Statement("SELECT issued_offer_id, format FROM signature WHERE issued_offer_id IS NOT NULL")
        ).reduce(into: [:]) { $0[try $1.value(0), default: []].insert(try $1.value(1)) }
        known = try RedemptionStore(transaction).redemptions(of: number)
        signed = try transaction.rows(
            Statement(
                """
                SELECT o.id, o.customer_id, o.offer_identifier, s.product_id, s.app_account_token, s.signed_at,
                    o.counts_until
                FROM signature s, issued_offer o WHERE o.id = s.issued_offer_id AND s.format = 'v1'
                    AND s.app_account_token IS NOT NULL ORDER BY s.signed_at DESC
                """)
        ).map {
            Signed(
                issuedOffer: try $0.value(0), owner: try $0.value(1), identifier: try $0.value(2),
                product: try $0.value(3),
                token: try $0.value(4), signedAt: try $0.value(5), countsUntil: try $0.value(6))
        }
    }

    func matching(_ redemptions: [Redemption]) -> [Redemption] {
        redemptions.map { redemption in
            guard redemption.offerType == .promotional,
                redemption.issuedOfferId == nil || redemption.isDoubled || isSignedForOtherAccounts(redemption),
                let issuedOffer = issuedOffer(of: redemption)
            else { return redemption }
            var matched = redemption
            matched.issuedOfferId = issuedOffer.issuedOffer
            matched.isDoubled = false
            matched.isLate = redemption.firstEvidence >= issuedOffer.countsUntil
            return matched
        }
    }

    /// Whether the customer's own issued offer has V1 signatures alone, and none for the account of the use.
    private func isSignedForOtherAccounts(_ redemption: Redemption) -> Bool {
        guard let own = redemption.issuedOfferId, formats[own] == ["v1"] else { return false }
        let texts = texts(of: redemption)
        return !texts.isEmpty && !signed.contains { $0.issuedOffer == own && texts.contains($0.token) }
    }

    private func texts(of redemption: Redemption) -> [String] {
        let bought = history.transactions.filter { $0.payload.transactionId == redemption.transactionId }
        let shown = history.renewalInfos.filter { $0.payload.originalTransactionId == redemption.originalTransactionId }
        return (bought.compactMap(\.payload.appAccountToken) + shown.compactMap(\.payload.appAccountToken))
            .map(\.description)
    }

    private func issuedOffer(of redemption: Redemption) -> Signed? {
        let others = signed.filter { $0.owner != customer }
        let bought = history.transactions.filter { $0.payload.transactionId == redemption.transactionId }
        let texts = texts(of: redemption)
        let isRenewal = bought.first?.payload.transactionReason != .purchase
        let fitting = others.first { issuedOffer in
            texts.contains(issuedOffer.token) && issuedOffer.identifier == redemption.offerIdentifier?.rawValue
                && issuedOffer.product == redemption.productId.rawValue
                && issuedOffer.signedAt <= redemption.firstEvidence
                && (isRenewal || redemption.firstEvidence < issuedOffer.countsUntil)
        }
        if let fitting { return fitting }
        // What one of both was erased of no longer tells; then it stays as it was told.
        let told = known.first { $0.redemption.firstEvidence == redemption.firstEvidence }?.redemption.issuedOfferId
        return others.first { $0.issuedOffer == told && (texts.isEmpty || $0.token.hasPrefix(Redacted.prefix)) }
    }
}
