import OfferModel

/// Goes through the periods and renewal infos of one subscription by date and collects the uses of offers.
///
/// A use is shown as pending first, or begins with a period; the two are the same use, also where one period without the
/// offer lies between, as after an upgrade (docs/design.md#issued-offers-and-limits).
struct RedemptionWalk {
    let group: SubscriptionGroupId
    let wholePeriod: (String?, RedemptionKey) -> Period?

    private var found: [Redemption] = []
    private var run: OfferRun?
    /// The use among those found that the run is.
    private var running: Int?
    private var waiting: (redemption: Redemption, isPassedOver: Bool)?
    private var previous: Recorded<Transaction>?
    /// Whether nothing runs or waits.
    private(set) var isIdle = true

    init(group: SubscriptionGroupId, wholePeriod: @escaping (String?, RedemptionKey) -> Period?) {
        self.group = group
        self.wholePeriod = wholePeriod
    }

    /// Renewal info that names the offer of the next renewal.
    mutating func show(_ info: Recorded<RenewalInfo>) {
        guard let type = info.payload.offerType else { return }
        let key = RedemptionKey(type, info.payload.offerIdentifier, group)
        if let run, run.key == key, !run.isFull(before: nil) { return }
        if waiting?.redemption.key == key {
            waiting?.isPassedOver = false
            return
        }
        settleWaiting()
        let redemption = Redemption(
            offerType: key.offerType, offerIdentifier: key.offerIdentifier, subscriptionGroupIdentifier: group,
            originalTransactionId: info.payload.originalTransactionId,
            productId: info.payload.autoRenewProductId ?? info.payload.productId,
            firstEvidence: info.payload.signedDate,
            provenance: info.provenance)
        waiting = (redemption, false)
        isIdle = false
    }

    /// A period, in the order of their beginnings.
    mutating func begin(_ row: Recorded<Transaction>) {
        defer { previous = row }
        // Most periods have no offer and follow none.
        if isIdle, row.payload.offerType == nil { return }
        isIdle = false
        if let running, let previous, previous.payload.isUpgraded, let ends = found[running].offerEnds {
            found[running].offerEnds = min(ends, row.payload.purchaseDate)
        }
        guard let type = row.payload.offerType else {
            run = nil
            running = nil
            passOver()
            isIdle = waiting == nil
            return
        }
        let key = RedemptionKey(type, row.payload.offerIdentifier, group)
        if run?.key == key, run?.isFull(before: row.payload) == false, !row.isNewStart(after: previous) {
            run?.add(row.payload)
            if let running { found[running].offerEnds = row.ends }
            return
        }
        run = OfferRun(key: key, first: row.payload, wholePeriod: wholePeriod(row.payload.offerPeriod, key))
        var evidence = row.payload.purchaseDate
        if let shown = waiting?.redemption, shown.key == key {
            evidence = min(evidence, shown.firstEvidence)
            waiting = nil
        } else {
            passOver()
        }
        found.append(
            Redemption(
                offerType: key.offerType, offerIdentifier: key.offerIdentifier, subscriptionGroupIdentifier: group,
                originalTransactionId: row.payload.originalTransactionId, productId: row.payload.productId,
                transactionId: row.payload.transactionId, firstEvidence: evidence, offerEnds: row.ends,
                provenance: row.provenance))
        running = found.indices.last
    }

    /// Everything found, what still waits included.
    mutating func finished() -> [Redemption] {
        settleWaiting()
        return found
    }

    private mutating func passOver() {
        guard waiting != nil else { return }
        if waiting?.isPassedOver == true { settleWaiting() }
        waiting?.isPassedOver = true
    }

    private mutating func settleWaiting() {
        if let redemption = waiting?.redemption { found.append(redemption) }
        waiting = nil
    }
}

extension Recorded<Transaction> {
    /// When the period ends, or was taken back.
    fileprivate var ends: Instant? { [payload.expiresDate, payload.revocationDate].compactMap(\.self).min() }

    /// Bought again after a gap; a renewal after a gap is a recovered payment and goes on.
    fileprivate func isNewStart(after previous: Recorded?) -> Bool {
        guard let ended = previous?.payload.expiresDate else { return false }
        return payload.purchaseDate > ended && payload.transactionReason != .renewal
    }
}
