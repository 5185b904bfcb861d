import OfferTestSupport
import Testing

@testable import OfferModel

/// A customer's life with an app, by what happens one after the other: trial, periods, upgrades, refunds, purchases with
/// offers, lapses and a product for life. What Apple signs of it can be told in several ways.
struct RandomLife {
    /// One signed view after the other, by the date of signing.
    private(set) var transactions: [Transaction] = []
    private(set) var renewalInfos: [RenewalInfo] = []
    private(set) var ends: Instant
    private var random: SeededGenerator
    private var count = 0
    /// Seats added in the current period.
    private var seats: [Transaction] = []

    static let monthly: ProductId = "com.example.pro.monthly"
    static let yearly: ProductId = "com.example.pro.yearly"
    private static let original: TransactionId = "50005"
    /// When the last thing within a period happened: they happen one after the other.
    private var latest = Instant.distantPast
    private static let start = Instant(milliseconds: 1_735_689_600_000)

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        ends = Self.start
        var current = buy(
            chance(50) ? Self.monthly : Self.yearly, at: Self.start, offer: chance(60) ? .introductory : nil)
        for _ in 0..<Int.random(in: 1...8, using: &random) { current = next(after: current) }
        finish(current)
        transactions.sort { $0.signedDate < $1.signedDate }
        // No two views of a purchase are signed at once: which of them holds would be settled by their bytes.
        for place in transactions.indices {
            transactions[place].signedDate = transactions[place].signedDate.adding(milliseconds: Int64(place))
        }
        renewalInfos.sort { $0.signedDate < $1.signedDate }
    }

    private mutating func next(after current: Transaction) -> Transaction {
        let expires = current.expiresDate ?? current.purchaseDate
        switch Int.random(in: 0..<100, using: &random) {
        case ..<8:
            return addSeats(to: current)
        case ..<25:
            return upgrade(current, at: within(current))
        case ..<45:
            let refunded = refund(current, at: within(current))
            let again = refunded.adding(milliseconds: Int64.random(in: 1...20, using: &random) * Instant.Duration.day)
            return buy(current.productId, at: again, offer: chance(60) ? current.offerType : nil)
        case ..<60:
            inform(current, renews: false, at: within(current))
            let again = expires.adding(milliseconds: Int64.random(in: 1...100, using: &random) * Instant.Duration.day)
            return buy(chance(70) ? Self.monthly : Self.yearly, at: again, offer: pick([nil, .promotional, .winBack]))
        default:
            return renew(current)
        }
    }

    private mutating func buy(_ product: ProductId, at instant: Instant, offer: TransactionOfferType?) -> Transaction {
        var bought = period(of: product, at: instant, .purchase)
        set(offer, in: &bought)
        return sign(bought)
    }

    private mutating func renew(_ current: Transaction) -> Transaction {
        var renewed = period(of: current.productId, at: current.expiresDate ?? current.purchaseDate, .renewal)
        let isOfferOver = current.offerType != .promotional || chance(50)
        if !isOfferOver { set(.promotional, in: &renewed) }
        return sign(renewed)
    }

    /// Immediate: the period before ends, and a running introductory offer is carried over.
    private mutating func upgrade(_ current: Transaction, at instant: Instant) -> Transaction {
        let isCarried = current.offerType == .introductory
        let product = current.productId == Self.monthly ? Self.yearly : Self.monthly
        var upgraded = period(
            of: product, at: isCarried && count == 1 && chance(50) ? current.purchaseDate : instant, .purchase)
        if isCarried {
            set(.introductory, in: &upgraded)
            let soon = instant.adding(milliseconds: Instant.Duration.day)
            upgraded.expiresDate = chance(70) ? current.expiresDate : soon
        }
        upgraded.signedDate = instant.adding(milliseconds: 1_000)
        for var replaced in [current] + seats {
            replaced.isUpgraded = true
            replaced.signedDate = instant.adding(milliseconds: 2_000)
            transactions.append(replaced)
        }
        return sign(upgraded)
    }

    /// Another transaction of the same period; then each of them says so.
    private mutating func addSeats(to current: Transaction) -> Transaction {
        let instant = within(current)
        var first = current
        first.additionalTransactionReason = .seatAddition
        first.signedDate = instant.adding(milliseconds: 1_000)
        transactions.append(first)
        var added = period(of: current.productId, at: instant, .purchase)
        added.additionalTransactionReason = .seatAddition
        added.expiresDate = current.expiresDate
        transactions.append(added)
        seats.append(added)
        return first
    }

    private mutating func refund(_ current: Transaction, at instant: Instant) -> Instant {
        var refunded = current
        refunded.revocationDate = instant
        refunded.revocationReason = 0
        refunded.revocationType = chance(70) ? .refundFull : .refundProrated
        refunded.signedDate = instant.adding(milliseconds: 1_000)
        transactions.append(refunded)
        inform(current, renews: false, at: instant)
        guard chance(20) else { return instant }
        var reversed = current
        reversed.signedDate = instant.adding(milliseconds: 5_000)
        transactions.append(reversed)
        return current.expiresDate ?? instant
    }

    private mutating func finish(_ current: Transaction) {
        ends = current.expiresDate ?? current.purchaseDate
        if chance(60) {
            var info = RenewalInfo.fixture(
                Self.original, product: current.productId, signed: ends.adding(milliseconds: 5_000))
            info.autoRenewStatus = .off
            info.expirationIntent = .customerCancelled
            renewalInfos.append(info)
        }
        guard chance(30) else { return }
        var lifetime = Transaction.fixture("70005", product: "lifetime", purchased: within(current))
        lifetime.type = .nonConsumable
        (lifetime.subscriptionGroupIdentifier, lifetime.expiresDate) = (nil, nil)
        transactions.append(lifetime)
        guard chance(50) else { return }
        lifetime.revocationDate = lifetime.purchaseDate.adding(milliseconds: Instant.Duration.day)
        lifetime.revocationReason = 1
        lifetime.signedDate = lifetime.purchaseDate.adding(milliseconds: Instant.Duration.day + 1)
        transactions.append(lifetime)
    }

    private mutating func inform(_ current: Transaction, renews: Bool, at instant: Instant) {
        var info = RenewalInfo.fixture(Self.original, product: current.productId, signed: instant)
        info.autoRenewStatus = renews ? .on : .off
        renewalInfos.append(info)
    }

    private mutating func sign(_ period: Transaction) -> Transaction {
        seats = []
        transactions.append(period)
        inform(period, renews: true, at: period.signedDate.adding(milliseconds: 1))
        return period
    }

    private mutating func period(
        of product: ProductId, at instant: Instant, _ reason: TransactionReason
    ) -> Transaction {
        defer { count += 1 }
        var period = Transaction.fixture(
            TransactionId("50\(count < 10 ? "0" : "")\(count)5"), original: Self.original, product: product,
            purchased: instant, expires: instant.adding(months: product == Self.monthly ? 1 : 12))
        period.originalPurchaseDate = Self.start
        period.transactionReason = reason
        period.webOrderLineItemId = "line-\(count)"
        return period
    }

    private mutating func set(_ offer: TransactionOfferType?, in period: inout Transaction) {
        guard let offer else { return }
        period.offerType = offer
        switch offer {
        case .introductory:
            period.offerPeriod = "P1W"
            period.offerDiscountType = .freeTrial
            period.price = 0
            period.expiresDate = period.purchaseDate.adding(milliseconds: 7 * Instant.Duration.day)
        default:
            period.offerIdentifier = offer == .winBack ? "other" : "comeback50"
            period.offerPeriod = "P3M"
            period.offerDiscountType = .payAsYouGo
            period.price = 4_990
        }
    }

    private mutating func within(_ period: Transaction) -> Instant {
        let length = (period.expiresDate ?? period.purchaseDate).milliseconds(since: period.purchaseDate)
        let instant = period.purchaseDate.adding(milliseconds: length * Int64.random(in: 20...70, using: &random) / 100)
        latest = max(latest.adding(milliseconds: Instant.Duration.minute), instant)
        return latest
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }
}

/// How Apple and other platforms tell a life.
enum Telling: String, CaseIterable, CustomTestStringConvertible {
    /// Some purchases have a second id, and each of their views comes under one id, the other or both.
    case copies
    /// The same, and the second ids come without a line item.
    case copiesWithoutLineItem
    /// No view is marked as upgraded.
    case withoutFlags
    /// Both, and no view has a line item.
    case exported

    var testDescription: String { rawValue }
}

extension RandomLife {
    /// As Apple tells it: every view under its own id, with all its members.
    var plain: History { history(transactions) }

    func told(_ telling: Telling, seed: UInt64) -> History {
        var random = SeededGenerator(seed: seed)
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        let ids = Set(transactions.map(\.transactionId)).sorted()
        // Apple gives out both ids at about the same time, in either order.
        let second = Dictionary(
            uniqueKeysWithValues: ids.filter { _ in chance(60) }.map { id in
                (id, TransactionId(id.rawValue.dropLast() + (chance(50) ? "9" : "1")))
            })
        var told: [Transaction] = []
        for view in transactions {
            var view = view
            if telling == .withoutFlags || telling == .exported { view.isUpgraded = false }
            if telling == .exported { view.webOrderLineItemId = nil }
            guard telling != .withoutFlags, let other = second[view.transactionId] else {
                told.append(view)
                continue
            }
            let isUnderFirst = chance(60)
            if isUnderFirst { told.append(view) }
            guard !isUnderFirst || chance(50) else { continue }
            view.transactionId = other
            if telling == .copiesWithoutLineItem { view.webOrderLineItemId = nil }
            told.append(view)
        }
        return history(told.shuffled(using: &random))
    }

    private func history(_ views: [Transaction]) -> History {
        History(
            transactions: views.enumerated().map { place, view in
                Recorded(payload: view, payloadBytes: [1], provenance: .notification, sequence: Int64(place))
            },
            renewalInfos: renewalInfos.enumerated().map { place, info in
                Recorded(payload: info, payloadBytes: [1], provenance: .notification, sequence: Int64(place))
            },
            coverage: Coverage(level: .complete, asOf: .distantPast))
    }
}
