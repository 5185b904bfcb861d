import OfferModel
import Testing

@Suite("The vocabulary of facts")
struct FactVocabularyTests {
    @Test("every fact docs/design.md#decisions names is there with its type, and no other")
    func complete() {
        let expected: [String: FactType] = [
            "subscription.state": .text, "subscription.productId": .text, "subscription.willAutoRenew": .boolean,
            "subscription.expirationIntent": .text, "subscription.daysUntilExpiry": .number,
            "subscription.daysSinceExpired": .number, "subscription.monthsSinceExpired": .number,
            "subscription.paidMonths": .number, "subscription.paidPeriods": .number,
            "subscription.isInTrial": .boolean, "subscription.renewalPrice": .money,
            "subscription.pendingProductId": .text, "subscription.everInGroup": .boolean,
            "subscription.offerType": .text, "subscription.discountType": .text, "subscription.period": .text,
            "subscription.level": .number, "subscription.billingPlan": .text,
            "subscription.priceIncreaseStatus": .text, "subscription.startedAt": .instant,
            "customer.daysSinceFirstPurchase": .number, "customer.daysSinceFirstSeen": .number,
            "customer.everSubscribed": .boolean, "customer.refunds": .number, "customer.storefront": .storefront,
            "customer.offersRedeemed": .number, "customer.daysSinceLastOffer": .number,
            "request.appVersion": .version, "request.osVersion": .version, "request.locale": .locale,
            "request.placement": .text,
        ]
        #expect(FactVocabulary.all.count == expected.count, "a name is there twice")
        #expect(Dictionary(FactVocabulary.all.map { ($0.name, $0.type) }, uniquingKeysWith: { $1 }) == expected)
    }

    @Test("the families are those of docs/facts.md; what the backend says has the type of its first use")
    func families() {
        #expect(
            FactVocabulary.families.map(\.name) == [
                "customer.redeemed.<offerId>", "customer.owns.<productId>", "customer.purchases.<productId>",
                "customer.attributes.<name>", "signals.<name>",
            ])
        #expect(FactVocabulary.families.map(\.type) == [.number, .boolean, .number, nil, nil])
        #expect(FactVocabulary.unit("customer.purchases.coins") == "purchases")
        #expect(FactVocabulary.unit("customer.owns.lifetime") == nil)
        #expect(FactVocabulary.unit("customer.redeemed.welcome") == "redemptions")
        #expect(FactVocabulary.unit("customer.refunds") == "refunds")
        #expect(FactVocabulary.unit("signals.interactions") == nil)
    }

    @Test("what the backend says is never the history's word", arguments: FactVocabulary.all)
    func sources(_ fact: FactDefinition) {
        #expect((fact.source == .caller) == fact.name.hasPrefix("request."))
    }

    @Test("every name of the vocabulary is read as a fact of its type", arguments: FactVocabulary.all)
    func names(_ fact: FactDefinition) {
        #expect(FactName(fact.name)?.type == fact.type)
    }

    @Test("families are read by their endings")
    func endings() {
        #expect(FactName("signals.interactions") == .signal("interactions"))
        #expect(FactName("customer.attributes.plan_2") == .attribute("plan_2"))
        #expect(FactName("customer.redeemed.half-price.2") == .redeemed("half-price.2"))
        #expect(FactName("customer.owns.com.example.pro.lifetime") == .owns("com.example.pro.lifetime"))
        #expect(FactName("customer.purchases.com.example.coins") == .purchases("com.example.coins"))
    }

    @Test(
        "no fact has another name",
        arguments: [
            "", "subscription", "subscription.", "subscription.staet", "customer.", "customer.attributes.",
            "customer.attributes.a-b", "customer.redeemed.", "customer.owns.", "customer.purchases.", "customer.owns",
            "request.", "request.model", "signals.", "Signals.a",
            "customer.attributes", "signals.\u{301}a",
        ])
    func noNames(_ name: String) {
        #expect(FactName(name) == nil)
    }

    @Test(
        "a fact says what it means and when it is unknown, and only fitting things besides",
        arguments: FactVocabulary.all)
    func consistent(_ fact: FactDefinition) {
        #expect(!fact.meaning.isEmpty)
        #expect(!fact.unknownWhen.isEmpty)
        #expect(!fact.meaning.hasSuffix("."))
        // A level is a rank and counts nothing.
        #expect((fact.unit != nil) == (fact.type == .number && fact.name != "subscription.level"))
        #expect((fact.minimum != nil) == (fact.type == .number))
        #expect(fact.values == nil || fact.type == .text)
        #expect(!fact.unknownWhen.hasSuffix("."))
        #expect(Set(fact.values ?? []).count == (fact.values ?? []).count)
        #expect(FactVocabulary.definition(fact.name) == fact)
        #expect(FactVocabulary.signalName(fact.name) == nil)
    }

    @Test("the states of a subscription are those of docs/design.md#terms")
    func states() {
        let expected = [
            "neverSubscribed", "introductoryOffer", "subscribed", "inGracePeriod", "inBillingRetryPeriod", "expired",
            "revoked",
        ]
        #expect(FactVocabulary.definition("subscription.state")?.values == expected)
    }

    @Test(
        "an unknown name has no definition",
        arguments: ["subscription.staet", "", "subscription.", "state", "signals.x"])
    func unknown(_ name: String) {
        #expect(FactVocabulary.definition(name) == nil)
    }

    @Test(
        "the backend may name a signal with letters, digits and _",
        arguments: ["interactions", "a", "Patterns_seen2", String(repeating: "x", count: 64)])
    func signals(_ name: String) {
        #expect(FactVocabulary.signalName("signals." + name) == name)
    }

    @Test(
        "anything else is not a signal",
        arguments: [
            "signals.", "signals.1st", "signals._x", "signals.a-b", "signals.a.b", "signals.é", "signals. a",
            "Signals.a", "signal.a", "signals." + String(repeating: "x", count: 65),
        ])
    func notSignals(_ name: String) {
        #expect(FactVocabulary.signalName(name) == nil)
    }
}
