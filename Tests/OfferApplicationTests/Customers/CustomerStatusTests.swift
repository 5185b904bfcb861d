import OfferAPI
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferApplication

@Suite("status of a customer")
struct CustomerStatusTests {
    private static let customer = CustomerIdentifiers(originalTransactionId: "100")
    private static let seeds: ClosedRange<UInt64> = 1...600

    @Test("every group has the state, product, renewal and days that conditions of offers see")
    func agreesWithFacts() throws {
        var states: Set<String> = []
        for seed in Self.seeds {
            var random = RandomPurchases(seed: seed)
            let (history, now) = (random.history(), random.instant())
            let status = CustomerStatus(of: Self.customer, history, at: now, in: .production)
            for group in status.groups {
                let facts = try Self.facts(of: group.subscriptionGroupIdentifier, history, at: now)
                let note: Comment = "seed \(seed), group \(group.subscriptionGroupIdentifier)"
                states.insert(group.state)
                #expect(facts["state"] == (group.state == "undetermined" ? nil : .text(group.state)), note)
                #expect(facts["isInTrial"] == group.isFreeTrial.map { .boolean($0) }, note)
                #expect(facts["productId"] == group.productId.map { .text($0.rawValue) }, note)
                #expect(facts["willAutoRenew"] == group.willAutoRenew.map { .boolean($0) }, note)
                #expect(facts["pendingProductId"] == group.pendingProductId.map { .text($0.rawValue) }, note)
                #expect(facts["daysUntilExpiry"] == group.daysLeft.map { .number(Double($0)) }, note)
                #expect(group.hasAccess == (group.daysLeft != nil), note)
                #expect(group.isFreeTrial != true || group.isTrial == true, note)
            }
            #expect(status.hasAccess == status.groups.contains(where: \.hasAccess), "seed \(seed)")
        }
        let reached = Set(SubscriptionStateName.allCases.map(\.rawValue)).subtracting(["neverSubscribed"])
        #expect(states == reached.union(["undetermined"]), "the seeds should reach every state")
    }

    /// What a condition that asks for each fact observes of it; `nil` for what is not known.
    private static func facts(
        of group: SubscriptionGroupId, _ history: History, at now: Instant
    ) throws -> [String: FactValue] {
        let product = try #require(RandomPurchases.products[group])
        let names = ["state", "isInTrial", "productId", "willAutoRenew", "pendingProductId", "daysUntilExpiry"]
        var offer = Offer(
            id: "offer", type: .promotional, delivery: .signature, offerIdentifier: "comeback50", products: [product],
            paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1, limits: [])
        offer.eligibility = .all(
            names.map {
                .comparison(
                    Comparison(
                        fact: "subscription.\($0)", comparisonOperator: .exists, operands: [.boolean(true)]))
            })
        let catalog = Catalog(
            bundleId: "com.example.pro",
            subscriptionGroups: [
                SubscriptionGroup(
                    id: group,
                    products: [
                        Product(
                            productId: product, level: 1, period: Period(months: 1),
                            price: Money(milliunits: 9_990, currency: "USD"))
                    ])
            ], offers: [offer])
        let question = Question(
            now: now, scope: Scope(bundleId: "com.example.pro", environment: .production),
            offer: CompiledOffer(offer), productId: product, subscriptionGroupIdentifier: group,
            catalog: CompiledCatalog(catalog))
        let decision = decide(question, facts: SubjectFacts(history: history))
        let finding = try #require(decision.findings.first { $0.rule == .ruleEligibility })
        var facts: [String: FactValue] = [:]
        for evidence in (finding.children ?? [finding]).flatMap(\.evidence) {
            guard case .value(let value)? = evidence.observed else { continue }
            facts[String(evidence.field.dropFirst("subscription.".count))] = value
        }
        return facts
    }

    @Test("nothing but the days left changes before `nextChange`, and something does at that millisecond")
    func nextChange() throws {
        var events: Set<String> = []
        for seed in Self.seeds {
            var random = RandomPurchases(seed: seed)
            let (history, now) = (random.history(), random.instant())
            func shown(at instant: Instant) -> [GroupStatus] {
                CustomerStatus(of: Self.customer, history, at: instant, in: .production).groups.map { group in
                    var group = group
                    group.daysLeft = nil
                    return group
                }
            }
            for (place, group) in shown(at: now).enumerated() {
                let next = group.nextChange?.at
                #expect((next == nil) == (group.nextChange?.event == nil), "seed \(seed)")
                if let event = group.nextChange?.event { events.insert(event) }
                let last = next?.adding(milliseconds: -1) ?? now.adding(months: 24)
                for instant in [last] + (0..<8).map({ _ in random.instant(from: now, to: last) }) {
                    #expect(shown(at: instant)[place] == group, "seed \(seed), at \(instant)")
                }
                guard let next else { continue }
                var (before, after) = (group, shown(at: next)[place])
                before.nextChange = nil
                after.nextChange = nil
                #expect(after != before, "seed \(seed), at \(next)")
            }
        }
        #expect(events == Set(GroupChange.allCases.map(\.rawValue)), "the seeds should reach every change")
    }

    @Test(
        "where one subscription's trial follows another's paid period, the change is what ends the paid one",
        arguments: [(AutoRenewStatus.off, GroupChange.expires), (.on, .renewalDue)])
    func nextChangeOfTwoSubscriptions(renews: AutoRenewStatus, change: GroupChange) throws {
        let bought = Instant(milliseconds: 1_767_225_600_000)
        let paid = Transaction.fixture("100", purchased: bought)
        let trial = Transaction.fixture("200", purchased: bought, expires: bought.adding(months: 3)) {
            ($0.offerType, $0.offerDiscountType, $0.price) = (.introductory, .freeTrial, 0)
        }
        let info = RenewalInfo.fixture("100", signed: bought) { $0.autoRenewStatus = renews }
        let history = History(
            transactions: [paid, trial].map {
                Recorded(payload: $0, payloadBytes: [], provenance: .client, sequence: 0)
            },
            renewalInfos: [Recorded(payload: info, payloadBytes: [], provenance: .client, sequence: 0)])
        let now = bought.adding(milliseconds: Instant.Duration.day)
        let group = try #require(CustomerStatus(of: Self.customer, history, at: now, in: .production).groups.first)
        #expect(group.state == "subscribed")
        #expect(group.nextChange?.at == paid.expiresDate)
        #expect(group.nextChange?.event == change.rawValue)
    }

    @Test("coverage is partial beside a subscription whose group is not known")
    func coverageWithoutGroup() {
        let bought = Instant(milliseconds: 1_767_225_600_000)
        let now = bought.adding(milliseconds: 1_000)
        func status(group: SubscriptionGroupId?) -> CustomerStatus {
            let transaction = Transaction.fixture("100", purchased: bought) { $0.subscriptionGroupIdentifier = group }
            var history = History(transactions: [
                Recorded(payload: transaction, payloadBytes: [], provenance: .client, sequence: 0)
            ])
            history.coverage = Coverage(level: .complete, asOf: now)
            return CustomerStatus(of: Self.customer, history, at: now, in: .production)
        }
        #expect(status(group: "21500001").coverage.level == .complete)
        #expect(status(group: nil).coverage.level == .partial)
    }

    @Test("in any order and with repetitions the same purchases are the same status (invariant 7)")
    func order() {
        for seed in Self.seeds.prefix(200) {
            var random = RandomPurchases(seed: seed)
            let (history, now) = (random.history(), random.instant())
            let other = random.reordered(history)
            #expect(
                CustomerStatus(of: Self.customer, other, at: now, in: .production)
                    == CustomerStatus(of: Self.customer, history, at: now, in: .production),
                "seed \(seed)")
        }
    }

    @Test(
        "a product outside groups is owned until its last purchase is taken back, a consumable never; none gives access"
    )
    func products() {
        let bought = Instant(milliseconds: 1_767_225_600_000)
        let later = bought.adding(months: 1)
        func purchase(
            _ id: TransactionId, _ product: ProductId, _ type: TransactionType?, at: Instant, revoked: Instant? = nil
        ) -> Recorded<Transaction> {
            let transaction = Transaction.fixture(id, product: product, purchased: at) { change in
                (change.type, change.subscriptionGroupIdentifier) = (type, nil)
                (change.expiresDate, change.revocationDate) = (nil, revoked)
            }
            return Recorded(payload: transaction, payloadBytes: [], provenance: .client, sequence: 0)
        }
        let history = History(transactions: [
            purchase("1", "lifetime", .nonConsumable, at: bought),
            purchase("2", "coins", .consumable, at: bought), purchase("3", "coins", .consumable, at: later),
            purchase("4", "pass", .nonRenewingSubscription, at: bought, revoked: later),
            purchase("5", "pack", .nonConsumable, at: bought),
            purchase("6", "pack", .nonConsumable, at: later, revoked: later),
            purchase("7", "suite", TransactionType(rawValue: "Suite"), at: bought),
        ])
        let status = CustomerStatus(of: Self.customer, history, at: later.adding(months: 1), in: .production)
        #expect(
            status.products == [
                product("coins", .consumable, owned: false, purchasedAt: later),
                product("lifetime", .nonConsumable, owned: true, purchasedAt: bought),
                product("pack", .nonConsumable, owned: true, purchasedAt: bought),
                product("pass", .nonRenewing, owned: false, purchasedAt: bought, revokedAt: later),
            ])
        #expect(status.groups.isEmpty && !status.hasAccess)
    }

    private func product(
        _ id: ProductId, _ type: OtherProductType, owned: Bool, purchasedAt: Instant, revokedAt: Instant? = nil
    ) -> ProductStatus {
        ProductStatus {
            ($0.productId, $0.type, $0.owned) = (id, type.rawValue, owned)
            ($0.purchasedAt, $0.revokedAt) = (purchasedAt, revokedAt)
        }
    }
}

/// Purchases in two subscription groups that follow from a seed.
private struct RandomPurchases {
    static let products: [SubscriptionGroupId: ProductId] = [
        "21500001": "com.example.pro.monthly", "21500002": "com.example.basic.monthly",
    ]

    private var generator: SeededGenerator
    private let start = Instant(milliseconds: 1_767_225_600_000)

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func instant() -> Instant { instant(from: start, to: start.adding(months: 8)) }

    mutating func instant(from first: Instant, to last: Instant) -> Instant {
        Instant(milliseconds: Int64.random(in: first.milliseconds...max(first, last).milliseconds, using: &generator))
    }

    mutating func history() -> History {
        var history = History()
        for subscription in 0..<Int.random(in: 1...3, using: &generator) {
            let group: SubscriptionGroupId = pick(["21500001", "21500001", "21500002"])
            let original = TransactionId("\(subscription + 1)00")
            let product = Self.products[group] ?? ""
            var begins = instant(from: start, to: start.adding(months: 3))
            var ends = begins
            for period in 0..<Int.random(in: 1...5, using: &generator) {
                ends = begins.adding(months: 1)
                let transaction = Transaction.fixture(
                    TransactionId("\(subscription + 1)0\(period)"), original: original, product: product,
                    group: group, purchased: begins, expires: ends
                ) { change in
                    if period == 0 || chance(10) { change.offerType = pick([.introductory, .introductory, nil]) }
                    change.offerDiscountType = change.offerType == nil ? nil : pick([.freeTrial, .payAsYouGo, nil])
                    change.price = pick([0, 9_990, nil])
                    change.isUpgraded = chance(5)
                    change.inAppOwnershipType = pick([.purchased, .purchased, .familyShared])
                    let revoked = begins.adding(milliseconds: 10 * Instant.Duration.day)
                    change.revocationDate = chance(8) ? revoked : nil
                    if chance(3) { change.subscriptionGroupIdentifier = nil }
                }
                history.transactions.append(row(transaction))
                begins = chance(20) ? instant(from: ends, to: ends.adding(months: 2)) : ends
            }
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                let signed = pick([ends.adding(milliseconds: 1_000), instant(from: ends.adding(months: -1), to: ends)])
                let info = RenewalInfo.fixture(original, product: product, signed: signed) { change in
                    change.autoRenewStatus = pick([.on, .off])
                    change.isInBillingRetryPeriod = chance(50)
                    change.gracePeriodExpiresDate =
                        chance(50) ? signed.adding(milliseconds: 16 * Instant.Duration.day) : nil
                    change.notifiedStatus = chance(20) ? .billingGracePeriod : nil
                    change.autoRenewProductId = pick([product, "com.example.other"])
                    (change.renewalPrice, change.currency) = (pick([0, 9_990, nil]), "USD")
                }
                history.renewalInfos.append(row(info))
            }
        }
        return history
    }

    mutating func reordered(_ history: History) -> History {
        var other = history
        other.transactions = (history.transactions + history.transactions.prefix(2)).shuffled(using: &generator)
        other.renewalInfos = (history.renewalInfos + history.renewalInfos.prefix(2)).shuffled(using: &generator)
        return other
    }

    private mutating func row<Payload>(_ payload: Payload) -> Recorded<Payload> {
        let bytes = withUnsafeBytes(of: UInt64.random(in: .min ... .max, using: &generator)) { Array($0) }
        return Recorded(payload: payload, payloadBytes: bytes, provenance: .client, sequence: 0)
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &generator)]
    }
}
