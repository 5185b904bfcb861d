package import OfferModel

/// What a difference between two catalogs means for customers (docs/marketing.md lists the rules).
package struct CatalogEffect: Sendable, Hashable {
    /// Some customers can no longer have an offer, or less often.
    package var takesAway = false
    /// Some customers can have an offer that they could not, or more often.
    package var widens = false
    /// Whether it is known which of the two it does; if not, both are set, so that someone looks at it.
    package private(set) var isCertain = true
    /// Whether it is a new offer that keeps the App Store's name of one that went.
    package var isRename = false
    /// For people, with instants in ISO 8601 form.
    package var words: String

    package init(takesAway: Bool = false, widens: Bool = false, isRename: Bool = false, _ words: String) {
        (self.takesAway, self.widens, self.isRename, self.words) = (takesAway, widens, isRename, words)
    }

    init(takesAway words: String) { self.init(takesAway: true, words) }

    init(widens words: String) { self.init(widens: true, words) }

    /// Some customers lose something, and others gain something.
    static func both(_ words: String) -> Self { Self(takesAway: true, widens: true, words) }

    /// It may take something away, or widen something, or do neither.
    package static func unclear(_ words: String) -> Self {
        var effect = both(words)
        effect.isCertain = false
        return effect
    }

    /// Of an offer that is removed, archived or made a draft.
    package static let stopped = Self(
        takesAway: "it is no longer issued; signatures already issued stay valid at Apple for up to 24 hours")

    static let otherKind = both("it becomes another kind of offer")

    private static let savings = "used to calculate savings; App Store Connect sets what customers pay"

    static func audience(losesSome: Bool, gainsSome: Bool) -> Self {
        let words =
            switch (gainsSome, losesSome) {
            case (true, false): "more customers qualify"
            case (false, true): "fewer customers qualify"
            case (true, true): "who may have it changes: some customers may gain it, others may lose it"
            case (false, false): "the same customers qualify"
            }
        return Self(takesAway: losesSome, widens: gainsSome, words)
    }
}

// Whole offers.
extension CatalogEffect {
    package init(added offer: Offer) {
        switch offer.status {
        case .active: self.init(widens: "a new offer, issued \(offer.dates)")
        case .draft: self.init("a new offer, not issued while it is a draft")
        case .archived: self.init("a new offer that is archived, so it is not issued")
        }
    }

    init(added offer: Offer, among removed: [Offer]) {
        guard let former = offer.formerSelf(among: removed)?.id else {
            self.init(added: offer)
            return
        }
        self.init(
            widens: true, isRename: true,
            "it was `\(former)`; uses under that id no longer count, so customers who had it may have it again, and a "
                + "pause of that id no longer applies; add `formerly: \(former)` to carry them over")
    }

    init(removed offer: Offer, among removed: [Offer], added: [Offer]) {
        let next = added.first {
            $0.formerSelf(among: [offer]) != nil && $0.formerSelf(among: removed)?.id == offer.id
        }
        self.init(takesAway: (next.map { "it is now `\($0.id)`; " } ?? "") + Self.stopped.words)
    }

    static func ofStatus(_ old: OfferStatus, _ new: OfferStatus, _ change: OfferChange) -> Self {
        switch (old, new) {
        case (.draft, .active): Self(widens: "it is issued " + change.new.dates)
        case (.archived, .active): Self(widens: "an offer that had ended is issued again")
        case (.active, _): .stopped
        default: Self("it was not issued before and is not now")
        }
    }

    static func ofFormerIds(_ old: [OfferId], _ new: [OfferId], _ change: OfferChange) -> Self {
        let gained = new.lacking(old)
        // Its own id counts in any case.
        let lost = old.lacking(new + [change.new.id])
        func list(_ ids: [OfferId]) -> String { ids.sorted().map { "`\($0)`" }.joined(separator: ", ") }
        let draws =
            change.old.firstId != change.new.firstId && [change.old, change.new].contains(where: \.isDrawnByItsId)
        let sentences = [
            gained.isEmpty ? nil : "uses of \(list(gained)) count now",
            lost.isEmpty
                ? nil
                : "uses of \(list(lost)) no longer count, so customers who had it may have it again, and a pause of "
                    + "\(list(lost)) no longer applies",
            draws ? "the rollout selects other customers, because it draws by the first id" : nil,
        ].compactMap(\.self)
        return Self(
            takesAway: !gained.isEmpty || draws, widens: !lost.isEmpty || draws,
            sentences.isEmpty ? "another order of its former ids" : sentences.joined(separator: "; "))
    }
}

// Fields of an offer, by the values before and after.
extension CatalogEffect {
    /// A bound that moves outwards widens. An absent time is no bound.
    static func ofBound(
        _ old: Instant?, _ new: Instant?, isWider: (Instant, Instant) -> Bool, wider: String, narrower: String
    ) -> Self {
        let widens = if let old, let new { isWider(new, old) } else { new == nil }
        return widens ? Self(widens: wider) : Self(takesAway: narrower)
    }

    static func ofItems<Item: RawRepresentable<String> & Hashable>(
        _ old: [Item], _ new: [Item], _ noun: String
    ) -> Self {
        let (gained, lost) = (new.lacking(old), old.lacking(new))
        let sentences = [
            gained.isEmpty ? nil : "now also for " + gained.names,
            lost.isEmpty ? nil : "no longer for " + lost.names,
        ].compactMap(\.self)
        return Self(
            takesAway: !lost.isEmpty, widens: !gained.isEmpty,
            sentences.isEmpty ? "another order of its \(noun)" : sentences.joined(separator: "; "))
    }

    static func ofFormats(_ old: [SignatureFormat], _ new: [SignatureFormat]) -> Self {
        let lost = old.lacking(new)
        return lost.isEmpty
            ? Self("the first is given where the backend asks for none")
            : Self(takesAway: "an app that needs \(lost.names) gets no signature")
    }

    /// - Parameter absentIsLonger: whether no length is longer than any, otherwise it is shorter.
    static func ofLength(
        _ old: Period?, _ new: Period?, absentIsLonger: Bool, longer: Self, shorter: Self
    ) -> Self? {
        guard let old, let new else { return (new == nil) == absentIsLonger ? longer : shorter }
        return old.isCertainlyShorter(than: new) ? longer : new.isCertainlyShorter(than: old) ? shorter : nil
    }

    /// No rollout is one for all customers.
    static func ofRollout(_ old: Rollout?, _ new: Rollout?) -> Self {
        let (old, new) = (old ?? Rollout(percent: 100), new ?? Rollout(percent: 100))
        // The salt draws who is in; nothing is drawn where all are, or none.
        guard old.salt == new.salt || [old, new].contains(where: { $0.percent <= 0 || $0.percent >= 100 }) else {
            return both("another salt draws other customers: some gain it, others lose it")
        }
        return audience(
            losesSome: new.percent < old.percent || new.holdout > old.holdout,
            gainsSome: new.percent > old.percent || new.holdout < old.holdout)
    }

    static func ofLeastMonths(_ old: Int?, _ new: Int?) -> Self {
        audience(losesSome: (new ?? 0) > (old ?? 0), gainsSome: (new ?? 0) < (old ?? 0))
    }

    /// No range holds every number of months.
    static func ofMonths(_ old: ClosedRange<Int>?, _ new: ClosedRange<Int>?) -> Self {
        let (old, new) = (old ?? 0...Int.max, new ?? 0...Int.max)
        return audience(losesSome: old.clamped(to: new) != old, gainsSome: new.clamped(to: old) != new)
    }

    static func ofTags(_ old: [String], _ new: [String], _ catalogs: CatalogPair) -> Self {
        let counted = Set(
            (catalogs.old.offers + catalogs.new.offers).flatMap(\.limits).compactMap { limit in
                if case .perCustomer(_, _, .tag(let tag)) = limit { tag } else { nil }
            })
        func named(_ tags: [String]) -> String? {
            let tags = tags.filter(counted.contains).sorted()
            return tags.isEmpty ? nil : "the tag " + tags.map { "`\($0)`" }.joined(separator: ", ")
        }
        let (gained, lost) = (named(new.lacking(old)), named(old.lacking(new)))
        let sentences = [
            gained.map { "limits across \($0) count its uses too" },
            lost.map { "limits across \($0) no longer count its new uses" },
        ].compactMap(\.self)
        return Self(
            takesAway: gained != nil, widens: lost != nil,
            sentences.isEmpty ? "only tags change" : sentences.joined(separator: "; "))
    }

    static func ofTerms(_ change: OfferChange) -> Self {
        let words = "what customers pay is set in App Store Connect: change it there as well"
        let products = Set(change.old.products).intersection(change.new.products)
        return ofCosts(words, products.sorted().compactMap { change.costs(on: $0) })
    }

    /// What a use takes from a budget, before and after: with more, fewer customers can have the offer.
    private static func ofCosts(_ words: String, _ costs: [(old: Money?, new: Money?)]) -> Self {
        var (more, less) = (false, false)
        for (old, new) in costs {
            guard let old, let new, old.currency == new.currency else {
                return unclear(words + "; each use takes another amount from a budget")
            }
            more = more || new.milliunits > old.milliunits
            less = less || new.milliunits < old.milliunits
        }
        let amount =
            switch (more, less) {
            case (false, false): ""
            case (true, false): "; each use takes more from a budget"
            case (false, true): "; each use takes less from a budget"
            case (true, true): "; a use takes more from a budget on some products, and less on others"
            }
        return Self(takesAway: more, widens: less, words + amount)
    }
}

// Products and signals.
extension CatalogEffect {
    static func ofPrice(of product: ProductId, _ catalogs: CatalogPair) -> Self {
        let kept = catalogs.new.offers.compactMap { offer in
            catalogs.old.predecessor(of: offer).map { OfferChange(old: $0, new: offer, catalogs: catalogs) }
        }
        return ofCosts(
            savings,
            kept.filter { change in
                [change.old, change.new].allSatisfy { $0.status == .active && $0.products.contains(product) }
            }.compactMap { $0.costs(on: product) })
    }

    /// A product's `level` and `period` are facts of its subscribers, which an offer in force may be conditional on.
    static func ofProduct(_ field: String, in group: SubscriptionGroupId, _ inForce: Catalog) -> Self {
        let products = inForce.subscriptionGroups.first { $0.id == group }?.products.map(\.productId) ?? []
        let readers = inForce.offers.filter { offer in
            offer.reads("subscription.\(field)") && !Set(products).isDisjoint(with: offer.products)
        }
        guard !readers.isEmpty else { return Self(savings) }
        return unclear(
            "some customers may gain or lose \(readers.map { "`\($0.id)`" }.joined(separator: ", ")), whose conditions "
                + "read `subscription.\(field)`")
    }

    /// A request of an app that states a signal which is not listed is refused.
    static func ofAppSignal(_ signal: String, _ catalogs: CatalogPair) -> Self {
        guard catalogs.new.appSignals.contains(signal) else {
            return Self(takesAway: "a request with an `app` key that states it is refused")
        }
        let isRead = catalogs.new.offers.contains { $0.reads(FactVocabulary.signalPrefix + signal) }
        return Self(widens: isRead, "a request with an `app` key may state any value of it")
    }
}

extension OfferChange {
    /// What a use takes from the budget on a product, before and after; `nil` without a budget.
    fileprivate func costs(on product: ProductId) -> (old: Money?, new: Money?)? {
        guard old.hasBudget, new.hasBudget else { return nil }
        return (
            catalogs.old.product(product).flatMap { old.cost(on: $0.product) },
            catalogs.new.product(product).flatMap { new.cost(on: $0.product) }
        )
    }

    /// What a difference means that only those notice who may have the offer: where it is not issued before or not
    /// after, that says the difference of its status.
    func effect(_ effect: @autoclosure () -> CatalogEffect?) -> CatalogEffect? {
        switch (old.status == .active, new.status == .active) {
        case (true, true): effect()
        case (false, false): CatalogEffect("it is not issued")
        case (false, true): CatalogEffect("it was not issued before")
        case (true, false): CatalogEffect("it is no longer issued")
        }
    }
}

extension Offer {
    fileprivate var hasBudget: Bool { limits.contains { if case .budget = $0 { true } else { false } } }

    /// Whether it is issued by a condition that reads the fact.
    fileprivate func reads(_ fact: String) -> Bool {
        status == .active && eligibility?.facts.contains(fact) == true
    }

    /// Whether the first of its ids decides which customers its rollout or holdout draws.
    fileprivate var isDrawnByItsId: Bool {
        rollout.map { $0.holdout > 0 || $0.salt == nil && $0.percent > 0 && $0.percent < 100 } ?? false
    }

    /// `from 2026-12-01T00:00:00Z until 2027-02-01T00:00:00Z`.
    fileprivate var dates: String {
        let start = starts.map { "from \($0)" }
        guard let ends else { return (start ?? "from now on") + ", without an end" }
        return (start.map { $0 + " " } ?? "") + "until \(ends)"
    }

    /// What it was under an id that it no longer has: Apple's name, type and a product are the same.
    fileprivate func formerSelf(among removed: [Offer]) -> Offer? {
        removed.first {
            $0.offerIdentifier == offerIdentifier && $0.type == type && !Set($0.products).isDisjoint(with: products)
        }
    }
}

extension Period {
    /// Whether it is shorter in every month.
    func isCertainlyShorter(than other: Period) -> Bool {
        if days == other.days, timeMilliseconds == other.timeMilliseconds { return months < other.months }
        return nominalMilliseconds(daysOfMonth: 31) <= other.nominalMilliseconds(daysOfMonth: 28)
    }

    private func nominalMilliseconds(daysOfMonth length: Int) -> Int64 {
        Int64(months * length + days) * Instant.Duration.day + timeMilliseconds
    }
}

extension Array where Element: Hashable {
    fileprivate func lacking(_ other: [Element]) -> [Element] {
        let others = Set(other)
        return filter { !others.contains($0) }
    }
}

extension Array where Element: RawRepresentable<String> {
    /// `com.example.pro.monthly, com.example.pro.yearly`, sorted.
    fileprivate var names: String { map(\.rawValue).sorted().joined(separator: ", ") }
}
