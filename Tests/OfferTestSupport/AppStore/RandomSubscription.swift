public import OfferModel

/// A subscription that lives at random, with what Apple signs of it and, noted as it happens, how each period ended.
public struct RandomSubscription {
    /// How one period ended.
    public struct End: Hashable, Sendable {
        public var product: ProductId
        public var at: Instant
        public var isTrial: Bool
        /// `renewed`, `lost` or `undecided`.
        public var outcome = "undecided"
    }

    /// One row an id, in any order; some purchases are there under several ids.
    public private(set) var transactions: [Transaction] = []
    public private(set) var renewalInfos: [RenewalInfo] = []
    public private(set) var ends: [End] = []
    private let original: TransactionId
    private let products: [ProductId]
    private let now: Instant
    private var random: SeededGenerator
    /// The places of ends of which it depends on the next period what they led to.
    private var waiting: [Int] = []

    private static let day = Instant.Duration.day

    private enum Kind {
        case trial, freeOffer, paidOffer, full

        var isFree: Bool { self == .trial || self == .freeOffer }
    }

    private struct Running {
        var row: Transaction
        var kind: Kind
        var expires: Instant
    }

    public init(
        _ original: TransactionId, of products: [ProductId], from start: Instant, until now: Instant, seed: UInt64
    ) {
        self.original = original
        self.products = products
        self.now = now
        random = SeededGenerator(seed: seed)
        let begins = start.adding(milliseconds: Int64.random(in: 0...60 * Self.day, using: &random))
        let kinds: [Kind] = [.trial, .trial, .freeOffer, .paidOffer, .full]
        var running = period(kinds[Int.random(in: 0..<5, using: &random)], products[0], at: begins, .purchase)
        while let next = live(running) { running = next }
        transactions.shuffle(using: &random)
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// A moment some days after another one, at any time of day.
    private mutating func after(_ instant: Instant, _ days: ClosedRange<Int64>) -> Instant {
        instant.adding(
            milliseconds: Int64.random(in: days.lowerBound * Self.day...days.upperBound * Self.day, using: &random))
    }

    private mutating func period(
        _ kind: Kind, _ product: ProductId, at begins: Instant, _ reason: TransactionReason?
    ) -> Running {
        let expires = kind == .trial ? begins.adding(milliseconds: 7 * Self.day) : begins.adding(months: 1)
        let id = TransactionId("\(original.rawValue)0\(100 + transactions.count)")
        let row = Transaction.fixture(
            transactions.isEmpty ? original : id, original: original, product: product, purchased: begins,
            expires: expires
        ) { row in
            row.transactionReason = reason
            row.price = kind.isFree ? 0 : 9_990
            switch kind {
            case .trial: row.offerType = .introductory
            case .freeOffer: (row.offerType, row.offerIdentifier) = (.offerCode, "gift")
            case .paidOffer: (row.offerType, row.offerIdentifier) = (.promotional, "comeback50")
            case .full: break
            }
            if kind != .full { row.offerDiscountType = kind.isFree ? .freeTrial : .payAsYouGo }
        }
        return Running(row: row, kind: kind, expires: expires)
    }

    /// What Apple signs of a period that is over, under a second id too now and then.
    private mutating func sign(_ running: Running, _ change: (inout Transaction) -> Void = { _ in }) {
        transactions.append(running.row)
        var last = running.row
        change(&last)
        last.signedDate = running.row.signedDate.adding(milliseconds: 5_000)
        if chance(30) {
            last.transactionId = TransactionId("\(last.transactionId.rawValue)7")
            transactions.append(last)
        } else if last.isUpgraded || last.revocationDate != nil {
            transactions[transactions.count - 1] = last
        }
    }

    /// Notes that a period ended.
    private mutating func end(_ running: Running, at instant: Instant) {
        waiting.append(ends.count)
        ends.append(End(product: running.row.productId, at: instant, isTrial: running.kind == .trial))
    }

    /// The next period follows without a lapse, or after one that billing retry explains.
    private mutating func goOn(with next: Running) -> Running {
        for place in waiting where !ends[place].isTrial || !next.kind.isFree { ends[place].outcome = "renewed" }
        waiting = waiting.filter { ends[$0].outcome != "renewed" }
        return next
    }

    /// Access is over: whatever was waiting led to nothing.
    private mutating func lose() {
        for place in waiting { ends[place].outcome = "lost" }
        waiting = []
    }

    private mutating func live(_ running: Running) -> Running? {
        let (product, expires) = (running.row.productId, running.expires)
        let other = products.first { $0 != product } ?? product
        let kind: Kind = chance(20) ? .freeOffer : chance(20) ? .paidOffer : .full
        // Not in the hour by which its renewal may have been early: the period before still runs.
        let within = running.row.purchaseDate.adding(
            milliseconds: Int64.random(
                in: 2 * Instant.Duration.hour...expires.milliseconds(since: running.row.purchaseDate) / 2,
                using: &random))
        guard expires.adding(milliseconds: 250 * Self.day) < now else { return finish(running) }
        switch Int.random(in: 0..<100, using: &random) {
        case ..<40:
            sign(running)
            end(running, at: expires)
            let early: Int64 = chance(30) ? Instant.Duration.hour : 0
            let next = chance(20) ? other : product
            return goOn(
                with: period(kind, next, at: expires.adding(milliseconds: next == product ? -early : 0), .renewal))
        case ..<50:
            sign(running)
            end(running, at: expires)
            return goOn(with: period(kind, product, at: after(expires, 1...59), chance(50) ? .renewal : nil))
        case ..<60:
            sign(running)
            end(running, at: expires)
            lose()
            return period(kind, chance(50) ? other : product, at: after(expires, 1...100), .purchase)
        case ..<70:
            sign(running) { row in
                (row.revocationDate, row.revocationReason, row.revocationType) = (within, 0, .refundFull)
            }
            end(running, at: within)
            lose()
            return period(kind, product, at: after(within, 1...20), .purchase)
        case ..<80:
            let isMarked = chance(50)
            sign(running) { $0.isUpgraded = isMarked }
            let isCarried = running.kind == .trial && chance(30)
            if running.kind == .trial, !isCarried { end(running, at: within) }
            return goOn(with: period(isCarried ? .trial : .full, other, at: within, .purchase))
        case ..<85:
            sign(running)
            end(running, at: expires)
            waiting = []
            return period(kind, product, at: after(expires, 61...200), .renewal)
        default: return finish(running)
        }
    }

    /// The last period, and what Apple signs after it.
    private mutating func finish(_ running: Running) -> Running? {
        guard running.expires < now else {
            sign(running)
            return nil
        }
        func info(_ signed: Instant, _ change: (inout RenewalInfo) -> Void) {
            let signed = min(signed, now)
            renewalInfos.append(.fixture(original, product: running.row.productId, signed: signed, change))
        }
        let later = running.expires.adding(milliseconds: Instant.Duration.hour)
        end(running, at: running.expires)
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            sign(running)
            info(later) { ($0.autoRenewStatus, $0.expirationIntent) = (.off, .customerCancelled) }
            lose()
        case 1:
            // Cancelled in time, and nothing newer was heard.
            sign(running)
            info(running.row.purchaseDate.adding(milliseconds: Instant.Duration.minute)) { $0.autoRenewStatus = .off }
            lose()
        case 2:
            sign(running)
            info(later) { ($0.isInBillingRetryPeriod, $0.expirationIntent) = (true, .billingError) }
        case 3:
            sign(running)
            info(later) { info in
                info.isInBillingRetryPeriod = true
                info.gracePeriodExpiresDate = running.expires.adding(milliseconds: 16 * Self.day)
            }
        case 4:
            let revoked = running.row.purchaseDate.adding(milliseconds: Instant.Duration.hour)
            sign(running) { row in
                (row.revocationDate, row.revocationReason, row.revocationType) = (revoked, 0, .refundFull)
            }
            ends[ends.count - 1].at = revoked
            lose()
        default: sign(running)
        }
        return nil
    }
}
