import OfferTestSupport

@testable import OfferModel

/// Subjects, offers and questions that follow from a seed.
struct RandomSubject {
    private var generator: SeededGenerator
    private let start = Instant(milliseconds: 1_767_225_600_000)

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// Up to a year after the first purchase.
    mutating func instant() -> Instant {
        start.adding(milliseconds: Int64.random(in: 0..<365 * Instant.Duration.day, using: &generator))
    }

    /// Between two instants, both included.
    mutating func instant(from first: Instant, to last: Instant) -> Instant {
        Instant(milliseconds: Int64.random(in: first.milliseconds...last.milliseconds, using: &generator))
    }

    /// A history of so many rows of transactions and some of renewal info, in several subscriptions and two groups,
    /// with rows that restate others.
    /// - Parameter misplacedPercent: how many of a hundred transactions name no group or one that is no product's.
    mutating func history(transactions count: Int = 12, misplacedPercent: Int = 0) -> History {
        var history = History()
        for index in 0..<count {
            if chance(30), let earlier = history.transactions.last?.payload {
                history.transactions.append(row(restated(earlier), index))
                continue
            }
            let original = Int.random(in: 1...3, using: &generator)
            let id = TransactionId("\(original)0\(Int.random(in: 0...5, using: &generator))")
            let group: SubscriptionGroupId = original == 3 ? "21500002" : "21500001"
            let purchased = instant()
            let transaction = Transaction.fixture(
                id, original: TransactionId("\(original)00"),
                product: original == 3 ? "com.example.basic.monthly" : "com.example.pro.monthly", group: group,
                purchased: purchased,
                signed: purchased.adding(milliseconds: Int64.random(in: 0...2, using: &generator))
            ) { change in
                change.offerType = pick([nil, .introductory, .promotional, .winBack])
                change.offerIdentifier =
                    change.offerType == nil || change.offerType == .introductory ? nil : pick(["comeback50", "other"])
                change.offerPeriod = change.offerType == nil ? nil : pick(["P1M", "P3M", nil])
                change.transactionReason = pick([.purchase, .renewal])
                change.subscriptionGroupIdentifier =
                    chance(misplacedPercent) ? pick([nil, "999"]) : change.subscriptionGroupIdentifier
                change.isUpgraded = chance(10)
                change.inAppOwnershipType = pick([.purchased, .purchased, .purchased, .familyShared, nil])
                change.revocationDate = chance(10) ? purchased.adding(milliseconds: Instant.Duration.day) : nil
                change.price = chance(20) ? 0 : 9_990
                change.storefront = pick(["USA", "DEU", nil])
                change.originalPurchaseDate =
                    chance(20) ? purchased.adding(milliseconds: -40 * Instant.Duration.day) : nil
            }
            history.transactions.append(row(transaction, index))
        }
        for index in 0..<count / 2 {
            let original = Int.random(in: 1...3, using: &generator)
            let info = RenewalInfo.fixture(TransactionId("\(original)00"), signed: instant()) { change in
                change.autoRenewStatus = pick([.on, .off, .off, AutoRenewStatus(rawValue: 7)])
                change.isInBillingRetryPeriod = chance(20)
                change.gracePeriodExpiresDate =
                    chance(20) ? change.signedDate.adding(milliseconds: 16 * Instant.Duration.day) : nil
                change.offerType = chance(20) ? .promotional : nil
                change.offerIdentifier = change.offerType == nil ? nil : "comeback50"
                change.expirationIntent = chance(15) ? pick([.billingError, .other]) : nil
                change.eligibleWinBackOfferIds = chance(10) ? pick([[], ["comeback50"]]) : nil
            }
            history.renewalInfos.append(row(info, index))
        }
        for index in 0..<count / 3 {
            // Few dates and ids, so that rows are restated and dates are equal.
            var app = AppTransaction(
                bundleId: "com.example.pro",
                receiptCreationDate: start.adding(milliseconds: Int64.random(in: 0...2, using: &generator)))
            app.appTransactionId = pick(["70000000001", "70000000002", nil])
            app.originalPurchaseDate = chance(60) ? instant() : nil
            history.appTransactions.append(row(app, index))
        }
        for index in 0..<count / 3 {
            let id = TransactionId("9\(Int.random(in: 0...3, using: &generator))")
            let bought = Transaction.fixture(id, product: pick(["lifetime", "coins"]), purchased: instant()) { change in
                change.type = change.productId == "coins" ? .consumable : .nonConsumable
                change.subscriptionGroupIdentifier = nil
                change.expiresDate = nil
                change.inAppOwnershipType = pick([.purchased, .purchased, .familyShared, nil])
                change.revocationDate =
                    chance(30) ? change.purchaseDate.adding(milliseconds: Instant.Duration.day) : nil
            }
            history.transactions.append(row(bought, index))
        }
        return history
    }

    /// The same transaction with other content, signed at the same time or just after.
    private mutating func restated(_ transaction: Transaction) -> Transaction {
        var other = transaction
        other.signedDate = transaction.signedDate.adding(milliseconds: pick([0, 0, 1]))
        other.revocationDate =
            transaction.revocationDate == nil ? transaction.purchaseDate.adding(milliseconds: 1) : nil
        guard transaction.productId != "com.example.basic.monthly" else { return other }
        other.productId = pick(["com.example.pro.monthly", "com.example.pro.yearly"])
        return other
    }

    /// The same rows in another order of arrival, some of them several times.
    mutating func reordered(_ history: History) -> History {
        var other = history
        other.transactions = reordered(history.transactions)
        other.renewalInfos = reordered(history.renewalInfos)
        other.appTransactions = reordered(history.appTransactions)
        return other
    }

    mutating func offer() -> Offer {
        let type = pick([OfferType.introductory, .promotional, .winBack])
        var offer = Offer(
            id: "offer", type: type, delivery: type == .introductory ? .introductoryEligibility : .signature,
            offerIdentifier: type == .introductory ? nil : "comeback50", products: ["com.example.pro.monthly"],
            paymentMode: .payAsYouGo, period: Period(months: 1), periodCount: 3,
            limits: chance(50) ? [.perCustomer(count: 1, window: nil, across: .thisOffer)] : [])
        offer.eligibility = chance(70) ? node(depth: 2) : nil
        guard type == .winBack else { return offer }
        if chance(40) {
            offer.delivery = .appStore
            offer.formats = []
        }
        let least = Int.random(in: 1...3, using: &generator)
        offer.winBackTerms = WinBackTerms(
            paidSubscriptionDurationInMonths: pick([nil, 1, 2]),
            timeSinceLastSubscribedInMonths: pick([nil, least...least + 2]), waitBetweenOffersInMonths: pick([nil, 2]))
        return offer
    }

    /// The same offer with dates, limits, a rest, exclusions and an opening, each by chance.
    mutating func withTerms(_ offer: Offer) -> Offer {
        var offer = offer
        offer.tags = ["comeback"]
        offer.starts = chance(30) ? instant() : nil
        offer.ends = chance(30) ? instant() : nil
        offer.coolDown = chance(30) ? pick([Period(days: 30), Period(months: 1)]) : nil
        offer.excludes = chance(20) ? ["offer-b"] : []
        offer.availableFor = chance(40) ? pick([Period(days: 2), Period(days: 40)]) : nil
        let across: [Limit.Across] = [.thisOffer, .all, .tag("comeback")]
        offer.limits = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            .perCustomer(
                count: Int.random(in: 1...3, using: &generator),
                window: pick([nil, Period(days: 30), Period(timeMilliseconds: 12 * Instant.Duration.hour)]),
                across: pick(across))
        }
        return offer
    }

    /// An offer that others exclude and count.
    mutating func otherOffer() -> Offer {
        var offer = Offer(
            id: "offer-b", type: .promotional, delivery: .signature, offerIdentifier: "other",
            products: ["com.example.pro.monthly"], paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1,
            limits: [])
        offer.tags = chance(50) ? ["comeback"] : []
        return offer
    }

    mutating func question(_ offer: Offer, at now: Instant) -> Question {
        var other = offer
        other.id = "other"
        other.offerIdentifier = offer.type == .introductory ? nil : "other"
        return Question(
            now: now, scope: Scope(bundleId: "com.example.pro", environment: .production), offer: offer,
            productId: "com.example.pro.monthly", subscriptionGroupIdentifier: "21500001",
            signals: chance(50) ? ["interactions": .number(Double.random(in: 0...100, using: &generator))] : [:],
            groupProducts: ["com.example.pro.monthly", "com.example.pro.yearly"],
            request: DeviceRequest(
                appVersion: pick(["1.9", "1.10", "beta", nil]), osVersion: pick(["18.1", nil]),
                locale: pick(["de-CH", "en", nil]), placement: pick(["home", nil])),
            offers: [offer, other])
    }

    /// The facts of a history with what we recorded and the backend keeps.
    mutating func facts(_ history: History) -> SubjectFacts {
        SubjectFacts(
            history: history, attributes: chance(50) ? ["level": .number(Double(pick([1, 2, 3])))] : [:],
            firstStoredAt: chance(60) ? instant() : nil)
    }

    mutating func issuedOffers(of offer: Offer) -> [IssuedOffer] {
        (0..<Int.random(in: 0...3, using: &generator)).compactMap { index in
            let issued = instant()
            guard let id = LowercaseUUID("0000000\(index)-0000-4000-8000-\(offer.id == "offer" ? "0" : "1")00000000000")
            else { return nil }
            let expires = issued.adding(milliseconds: Instant.Duration.day)
            return IssuedOffer(
                id: id, offerId: offer.id, offerIdentifier: offer.offerIdentifier, offerType: offer.type,
                delivery: offer.delivery, productId: "com.example.pro.monthly",
                subscriptionGroupIdentifier: "21500001", tags: offer.tags, issuedAt: issued, expiresAt: expires,
                countsUntil: expires.adding(milliseconds: Instant.Duration.hour), signings: 1,
                voidedAt: chance(30) ? issued : nil)
        }
    }

    /// Counters near a limit of 10 places, with the end that it waits for or without one.
    mutating func counters(open: [IssuedOffer], at now: Instant) -> OfferCounters {
        let others = Int.random(in: 6...12, using: &generator)
        let end = chance(70) ? instant(from: now, to: now.adding(months: 1)).adding(milliseconds: 1) : nil
        var counters = OfferCounters(
            asOf: now, places: others + open.count,
            spent: ["USD": Int64(others) * 9_990 + open.compactMap(\.cost).map(\.milliunits).reduce(0, +)],
            open: open.map(OfferCounters.OpenPlace.init))
        counters.unmatched = chance(30) ? ["com.example.pro.monthly": 1] : [:]
        counters.endings = [
            .init(unit: .places, amount: 20, at: end), .init(unit: .money("USD"), amount: 999_000, at: end),
        ]
        return counters
    }

    /// The history without some of its rows, and not complete.
    mutating func forgetful(_ history: History) -> History {
        var other = history
        other.transactions.removeAll { _ in chance(40) }
        other.renewalInfos.removeAll { _ in chance(40) }
        other.appTransactions.removeAll { _ in chance(40) }
        other.coverage = Coverage(level: .partial)
        return other
    }

    mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
        elements.shuffled(using: &generator)
    }

    mutating func node(depth: Int) -> RuleNode {
        if depth > 0, chance(60) {
            let children = (0..<Int.random(in: 1...3, using: &generator)).map { _ in node(depth: depth - 1) }
            return pick([.all(children), .any(children), .not(children[0])])
        }
        return pick([
            comparison("subscription.state", .in, [.text("expired"), .text("revoked")]),
            comparison("subscription.state", .is, [.text("subscribed")]),
            comparison("subscription.daysSinceExpired", .between, [.number(10), .number(40)]),
            comparison("subscription.daysSinceExpired", .atMost, [.number(5)]),
            comparison("subscription.monthsSinceExpired", .atLeast, [.number(2)]),
            comparison("subscription.daysUntilExpiry", .atMost, [.number(3)]),
            comparison("subscription.isInTrial", .is, [.boolean(true)]),
            comparison("subscription.willAutoRenew", .is, [.boolean(false)]),
            comparison("subscription.paidPeriods", .atLeast, [.number(2)]),
            comparison("subscription.paidMonths", .atMost, [.number(2)]),
            comparison("subscription.everInGroup", .is, [.boolean(true)]),
            comparison("subscription.offerType", .isNot, [.text("promotional")]),
            comparison("subscription.startedAt", .atMost, [.instant(start.adding(months: 2))]),
            comparison("signals.interactions", .atLeast, [.number(50)]),
            comparison("subscription.state", .notIn, [.text("expired"), .text("neverSubscribed")]),
            comparison("subscription.daysSinceExpired", .moreThan, [.number(20)]),
            comparison("subscription.daysUntilExpiry", .exists, [.boolean(true)]),
            comparison("customer.daysSinceFirstPurchase", .between, [.number(30), .number(60)]),
            comparison("customer.daysSinceFirstPurchase", .lessThan, [.number(90)]),
            comparison("customer.daysSinceFirstSeen", .atLeast, [.number(60)]),
            comparison("customer.daysSinceFirstSeen", .is, [.number(100)]),
            comparison("customer.daysSinceLastOffer", .atLeast, [.number(30)]),
            comparison("customer.daysSinceLastOffer", .isNot, [.number(45)]),
            comparison("customer.refunds", .atMost, [.number(0)]),
            comparison("customer.offersRedeemed", .between, [.number(1), .number(2)]),
            comparison("customer.redeemed.offer", .is, [.number(0)]),
            comparison("customer.redeemed.other", .atLeast, [.number(1)]),
            comparison("customer.owns.lifetime", .is, [.boolean(false)]),
            comparison("customer.purchases.coins", .atLeast, [.number(2)]),
            comparison("customer.everSubscribed", .isNot, [.boolean(true)]),
            comparison("customer.storefront", .in, [.text("USA")]),
            comparison("customer.attributes.level", .moreThan, [.number(1)]),
            comparison("request.appVersion", .atLeast, [.text("1.10")]),
            comparison("request.locale", .is, [.text("de")]),
        ])
    }

    /// A comparison of that fact with values that random histories come near to.
    mutating func comparison(of fact: FactName, _ name: String) -> RuleNode {
        switch fact.type {
        case .boolean:
            return comparison(name, pick([.is, .isNot]), [.boolean(chance(50))])
        case .number:
            let most = FactVocabulary.unit(name) == "days" ? 120 : 4
            let value = Double(Int.random(in: 0...most, using: &generator))
            let chosen = pick([ComparisonOperator.is, .isNot, .in, .notIn, .atLeast, .atMost, .moreThan, .lessThan])
            return chance(20)
                ? comparison(name, .between, [.number(value), .number(value + 20)])
                : comparison(name, chosen, [.number(value)])
        default:
            return comparison(name, pick([.is, .isNot]), [.text(pick(["expired", "subscribed", "revoked"]))])
        }
    }

    private func comparison(_ fact: String, _ name: ComparisonOperator, _ operands: [FactValue]) -> RuleNode {
        .comparison(Comparison(fact: fact, comparisonOperator: name, operands: operands))
    }

    private mutating func reordered<Payload>(_ rows: [Recorded<Payload>]) -> [Recorded<Payload>] {
        let repeated = rows + rows.filter { _ in chance(50) }
        return repeated.shuffled(using: &generator).enumerated().map { index, row in
            Recorded(
                payload: row.payload, payloadBytes: row.payloadBytes, provenance: row.provenance,
                sequence: Int64(index))
        }
    }

    private mutating func row<Payload>(_ payload: Payload, _ index: Int) -> Recorded<Payload> {
        let bytes = withUnsafeBytes(of: UInt64.random(in: .min ... .max, using: &generator).bigEndian) { Array($0) }
        return Recorded(
            payload: payload, payloadBytes: bytes,
            provenance: pick([.client, .notification, .serverAPI, .receipt, .operator]), sequence: Int64(index))
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &generator) < percent
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &generator)]
    }
}
