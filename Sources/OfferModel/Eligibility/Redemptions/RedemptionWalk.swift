/// Goes through the periods and renewal infos of one subscription by date and collects the uses of offers.
///
/// A use is shown as pending first, or begins with a period; the two are the same use, also where one period without
/// the offer lies between, as after an upgrade (docs/design.md#issued-offers-and-limits).
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
        let key = RedemptionKey(look: OfferLook(type, info.payload.offerIdentifier), group: group)
        if let run, run.key == key, !run.isFull(before: nil) { return }
        if waiting?.redemption.key == key {
            waiting?.isPassedOver = false
            return
        }
        settleWaiting()
        let redemption = Redemption(
            offerType: key.look.offerType, offerIdentifier: key.look.offerIdentifier,
            subscriptionGroupIdentifier: group,
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
        let addsSeats = previous.map(row.isOfSamePeriod) ?? false
        guard let type = row.payload.offerType else {
            // More seats of a period are no period without the offer.
            if addsSeats { return }
            run = nil
            running = nil
            passOver()
            isIdle = waiting == nil
            return
        }
        let key = RedemptionKey(look: OfferLook(type, row.payload.offerIdentifier), group: group)
        if addsSeats, run?.key == key {
            if let running {
                found[running].offerEnds = [found[running].offerEnds, row.payload.ends].compactMap(\.self).max()
            }
            return
        }
        if let known = run, known.key == key, known.goesOn(with: row, after: previous) {
            run?.add(row.payload)
            if let running { found[running].offerEnds = row.payload.ends }
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
                offerType: key.look.offerType, offerIdentifier: key.look.offerIdentifier,
                subscriptionGroupIdentifier: group,
                originalTransactionId: row.payload.originalTransactionId, productId: row.payload.productId,
                transactionId: row.payload.transactionId, firstEvidence: evidence, offerEnds: row.payload.ends,
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
    /// Bought again after a gap, or after the period before was taken back; a renewal after a gap is a recovered payment
    /// and goes on.
    fileprivate func isNewStart(after previous: Recorded?) -> Bool {
        guard let previous, payload.transactionReason != .renewal else { return false }
        let begins = payload.purchaseDate
        let isAfterEnd = previous.payload.expiresDate.map { begins > $0 } ?? false
        guard let revoked = previous.payload.revocationDate, !previous.payload.isUpgraded, begins >= revoked else {
            return isAfterEnd
        }
        // Without a reason, what begins when a renewal may be charged is one.
        let isStated = payload.transactionReason != nil
        return isStated || isAfterEnd || previous.payload.earliestRenewal.map { begins < $0 } ?? true
    }
}

/// A run of periods with the same offer.
///
/// It holds as many periods as fit into the offer's length. Wall time from its start would end it early: billing retry
/// and an extension of a period by Apple move what follows.
struct OfferRun {
    let key: RedemptionKey
    private let start: Instant
    private let wholePeriod: Period?
    private var lengths: [Int64]

    init(key: RedemptionKey, first: Transaction, wholePeriod: Period?) {
        self.key = key
        self.wholePeriod = wholePeriod
        start = first.purchaseDate
        lengths = [first.length]
    }

    mutating func add(_ period: Transaction) {
        lengths.append(period.length)
    }

    /// Whether a period with the same offer belongs to it. A customer has one introductory offer in a group, which an
    /// upgrade carries over: periods of it without a gap are one use, however long.
    func goesOn(with row: Recorded<Transaction>, after previous: Recorded<Transaction>?) -> Bool {
        (key.look.offerType == .introductory || !isFull(before: row.payload)) && !row.isNewStart(after: previous)
    }

    /// Whether the offer's length is used up, so that another period of it begins another use.
    ///
    /// - Parameter next: that period, if there is one; its length tells too how long periods are.
    func isFull(before next: Transaction?) -> Bool {
        guard let wholePeriod, let period = (lengths + [next?.length].compactMap(\.self)).filter({ $0 > 0 }).min()
        else { return false }
        let whole = start.adding(wholePeriod).milliseconds(since: start)
        return Int64(lengths.count) >= max(1, Self.count(of: period, in: whole))
    }

    /// How many periods of that length make the whole, both given in milliseconds; months are of unequal length.
    private static func count(of period: Int64, in whole: Int64) -> Int64 {
        guard period >= leastMonth else { return rounded(whole, by: period) }
        let (months, each) = (rounded(whole, by: month), rounded(period, by: month))
        return months / each + (months % each > 0 ? 1 : 0)
    }

    /// The quotient of two positive numbers, rounded to the nearest whole number.
    private static func rounded(_ whole: Int64, by part: Int64) -> Int64 {
        let (quotient, rest) = whole.quotientAndRemainder(dividingBy: part)
        return rest >= part - rest ? quotient + 1 : quotient
    }

    private static let leastMonth = 27 * Instant.Duration.day
    /// 30.44 days.
    private static let month = 3_044 * Instant.Duration.day / 100
}

extension Transaction {
    /// Of the period, in milliseconds; zero without an expiry.
    fileprivate var length: Int64 {
        expiresDate.map { $0.milliseconds(since: purchaseDate) } ?? 0
    }
}

/// How long offers last, by what Apple's data shows of them; of several that look alike, the first counts.
struct OfferLengths: Hashable {
    private var lengths: [OfferLook: Period] = [:]

    init(_ offers: [Offer]) {
        for index in offers.indices {
            let look = offers[index].look
            if lengths[look] == nil { lengths[look] = Self.length(offers[index]) }
        }
    }

    /// These, where an offer that looks like the given one lasts as long as that one.
    func preferring(_ offer: Offer) -> OfferLengths {
        let (look, length) = (offer.look, Self.length(offer))
        guard lengths[look] != length else { return self }
        var preferring = self
        preferring.lengths[look] = length
        return preferring
    }

    /// The length of the offer that a use shows; `nil` if none of the offers looks like it.
    subscript(key: RedemptionKey) -> Period? {
        lengths[key.look]
    }

    private static func length(_ offer: Offer) -> Period { offer.period.multiplied(by: offer.periodCount) }
}
