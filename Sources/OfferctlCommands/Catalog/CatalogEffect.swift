import CommandLineSupport
import OfferAPI
import OfferDocuments
import OfferModel

/// What one difference between two catalogs means for customers (`docs/marketing.md` lists the rules).
///
/// Judged from the list of changes that the server gives and, for conditions, from the two offers. What this version
/// does not know may do anything, and counts as both.
struct CatalogEffect {
    /// Some customers can no longer have an offer, or less often.
    var takesAway = false
    /// Some customers can have an offer that they could not, or more often.
    var widens = false
    var words: String

    var needsConfirmation: Bool { takesAway || widens }

    /// `+` widened, `-` taken away, `±` either, `·` neither.
    var mark: String {
        switch (widens, takesAway) {
        case (true, true): "±"
        case (true, false): "+"
        case (false, true): "-"
        case (false, false): "·"
        }
    }

    static let stopped = Self(
        takesAway: true,
        words: "it is no longer issued; signatures already issued stay valid at Apple for up to 24 hours")

    static let unknown = Self(
        takesAway: true, widens: true,
        words: "this version of offerctl cannot tell for which customers that changes something")
}

extension CatalogEffect {
    /// - Parameters:
    ///   - old: the offer in the catalog in force, where this version can read that.
    ///   - new: the offer in the file.
    ///   - inForce: the catalog in force, where this version can read that.
    ///   - file: the catalog in the file.
    init(
        _ change: CatalogChange, old: Offer? = nil, new: Offer? = nil, inForce: Catalog? = nil, file: Catalog? = nil
    ) {
        guard let path = change.path else {
            self = Self.ofWholeOffer(change.change, new)
            return
        }
        if change.offerId == nil, path.hasPrefix("products["), path.hasSuffix(".type") {
            self = Self(words: "only conditions name it, as `customer.owns` or `customer.purchases`")
            return
        }
        guard change.offerId != nil else {
            self = Self.ofProduct(path, inForce)
            return
        }
        let field = String(path.prefix { $0 != "." && $0 != "[" })
        let (from, to) = (change.from ?? "", change.to ?? "")
        self =
            switch field {
            case "id":
                Self(words: "renamed: uses, limits and pauses of `\(from)` carry over; request it by its new id")
            case "formerly": Self.ofFormerIds(from, to, old, new)
            case "status": Self.ofStatus(from, to, new)
            case "starts": Self.ofTime(to, from, earliest: true)
            case "ends": Self.ofTime(from, to, earliest: false)
            case "limits": LimitComparison.effect(from: from, to: to, unlimited: new?.unlimitedUse)
            case "products", "environments": Self.ofList(from, to, field)
            case "formats": Self.ofFormats(from, to)
            case "signaturesPerOffer": Self.ofSignatures(from, to)
            case "eligibility": Self.ofEligibility(old, new)
            case "rollout": Self.ofRollout(from, to)
            case "excludes": Self.ofExcludes(from, to)
            case "availableFor", "coolDown", "again": Self.ofLength(from, to, field)
            case "billingPlan", "price", "paymentMode", "period", "periodCount":
                Self.ofTerms(
                    "what customers pay is set in App Store Connect: change it there as well",
                    isBudgeted: [old, new].contains { $0?.hasBudget == true })
            case "tags": Self.ofTags(from, to, [inForce, file])
            default: Self.ofWinBackTerms(field, from, to) ?? Self.ofOther(field)
            }
    }

    /// A product's `level` and `period` are facts of its subscribers, which an offer in force may be conditional on.
    ///
    /// - Parameter path: such as `subscriptionGroups[21500001].products[com.example.pro.monthly].level`.
    private static func ofProduct(_ path: String, _ inForce: Catalog?) -> Self {
        let words = "used to calculate savings; App Store Connect sets what customers pay"
        let field = path.split(separator: ".").last ?? ""
        guard field != "price", !field.hasPrefix("billingPlans[") else {
            return ofTerms(words, isBudgeted: inForce?.offers.contains(where: \.hasBudget) == true)
        }
        let group = inForce?.subscriptionGroups.first { path.hasPrefix("subscriptionGroups[\($0.id)].") }
        let products = Set(group?.products.map(\.productId) ?? [])
        let readers = (inForce?.offers ?? []).filter { offer in
            offer.status == .active && !products.isDisjoint(with: offer.products)
                && offer.eligibility?.names("subscription.\(field)") == true
        }
        guard !readers.isEmpty else { return Self(words: words) }
        return Self(
            takesAway: true, widens: true,
            words: "some customers may gain or lose \(readers.map { "`\($0.id)`" }.joined(separator: ", ")), "
                + "whose conditions read `subscription.\(field)`")
    }

    private static func ofFormerIds(_ from: String, _ to: String, _ old: Offer?, _ new: Offer?) -> Self {
        let (gained, gone) = difference(from, to)
        // Its own id counts in any case.
        let lost = gone.filter { $0 != new?.id.rawValue }
        func list(_ ids: [String]) -> String { ids.map { "`\($0)`" }.joined(separator: ", ") }
        let draws = old?.firstId != new?.firstId && [old, new].contains { $0?.isDrawnByItsId == true }
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
            words: sentences.isEmpty ? "another order of its former ids" : sentences.joined(separator: "; "))
    }

    private static func ofWholeOffer(_ change: String, _ offer: Offer?) -> Self {
        switch (change, offer?.status) {
        case ("added", .active?): Self(widens: true, words: "a new offer, issued \(offer.map(OfferText.dates) ?? "")")
        case ("added", .draft?): Self(words: "a new offer, not issued while it is a draft")
        case ("added", .archived?): Self(words: "a new offer that is archived, so it is not issued")
        case ("added", nil): Self(widens: true, words: "a new offer; this version of offerctl cannot read its terms")
        case ("removed", _): stopped
        default: unknown
        }
    }

    private static func ofStatus(_ from: String, _ to: String, _ offer: Offer?) -> Self {
        switch (OfferStatus(rawValue: from), OfferStatus(rawValue: to)) {
        case (.draft?, .active?):
            Self(widens: true, words: "it is issued " + (offer.map(OfferText.dates) ?? "within its dates"))
        case (.archived?, .active?): Self(widens: true, words: "an offer that had ended is issued again")
        case (.active?, .draft?), (.active?, .archived?): stopped
        case (_?, _?): Self(words: "it was not issued before and is not now")
        default: unknown
        }
    }

    /// A bound that moves outwards widens. An absent time is no bound.
    private static func ofTime(_ inner: String, _ outer: String, earliest: Bool) -> Self {
        let (first, second) = earliest ? (outer, inner) : (inner, outer)
        let (from, to) = (Instant(iso8601: first), Instant(iso8601: second))
        guard (from != nil || first.isEmpty) && (to != nil || second.isEmpty) else { return unknown }
        let isWider =
            switch (from, to) {
            case (let from?, let to?): earliest ? to < from : to > from
            default: to == nil
            }
        return isWider
            ? Self(widens: true, words: earliest ? "it begins earlier" : "it runs longer")
            : Self(takesAway: true, words: earliest ? "it begins later" : "it ends earlier")
    }

    private static func ofList(_ from: String, _ to: String, _ noun: String) -> Self {
        let (gained, lost) = difference(from, to)
        let sentences = [
            gained.isEmpty ? nil : "now also for " + gained.joined(separator: ", "),
            lost.isEmpty ? nil : "no longer for " + lost.joined(separator: ", "),
        ].compactMap { $0 }
        return Self(
            takesAway: !lost.isEmpty, widens: !gained.isEmpty,
            words: sentences.isEmpty ? "another order of its \(noun)" : sentences.joined(separator: "; "))
    }

    private static func ofFormats(_ from: String, _ to: String) -> Self {
        let lost = difference(from, to).lost
        guard lost.isEmpty else {
            return Self(
                takesAway: true, words: "an app that needs \(lost.joined(separator: ", ")) gets no signature")
        }
        return Self(words: "the first is given where the backend asks for none")
    }

    private static func ofSignatures(_ from: String, _ to: String) -> Self {
        guard let old = Int(from), let new = Int(to) else { return unknown }
        return new > old
            ? Self(widens: true, words: "one issued offer can be redeemed once for each unexpired signature")
            : Self(takesAway: true, words: "fewer new signatures are issued after failed purchases")
    }

    private static func ofEligibility(_ old: Offer?, _ new: Offer?) -> Self {
        guard let old, let new else {
            return Self(takesAway: true, widens: true, words: "who may have it changes")
        }
        let (before, after) = (old.eligibility ?? .all([]), new.eligibility ?? .all([]))
        return audience(losesSome: !before.implies(after), gainsSome: !after.implies(before))
    }

    /// What a change does to who may have an offer.
    private static func audience(losesSome: Bool, gainsSome: Bool) -> Self {
        let words =
            switch (gainsSome, losesSome) {
            case (true, false): "more customers qualify"
            case (false, true): "fewer customers qualify"
            case (true, true): "who may have it changes: some customers may gain it, others may lose it"
            case (false, false): "the same customers qualify"
            }
        return Self(takesAway: losesSome, widens: gainsSome, words: words)
    }

    private static func ofExcludes(_ from: String, _ to: String) -> Self {
        let (gained, lost) = difference(from, to)
        return audience(losesSome: !gained.isEmpty, gainsSome: !lost.isEmpty)
    }

    /// How long an offer stays open widens as it grows, how long it has to wait takes away.
    private static func ofLength(_ from: String, _ to: String, _ field: String) -> Self {
        let grows: Bool
        switch (Period(from), Period(to)) {
        case (let old?, let new?):
            // Between months and days only what holds in any month is said.
            let (least, most) = (new.nominalDays(inMonth: 28), old.nominalDays(inMonth: 31))
            if least >= most {
                grows = true
            } else if new.nominalDays(inMonth: 31) <= old.nominalDays(inMonth: 28) {
                grows = false
            } else if old.months > 0, new.months > 0, old.days == new.days, old.timeMilliseconds == new.timeMilliseconds
            {
                grows = new.months > old.months
            } else {
                return unknown
            }
        // Without `availableFor` an offer stays open, without `coolDown` there is no wait, without `again` no next
        // time.
        case (nil, _?) where from.isEmpty: grows = field == "coolDown"
        case (_?, nil) where to.isEmpty: grows = field != "coolDown"
        default: return unknown
        }
        if field == "again" {
            let used = "customers who used an introductory offer"
            return grows
                ? Self(takesAway: true, words: used + (to.isEmpty ? " get no other" : " wait longer for another"))
                : Self(widens: true, words: used + (from.isEmpty ? " may have another" : " may have another sooner"))
        }
        if field == "coolDown" {
            return grows
                ? Self(takesAway: true, words: "customers who had it wait longer")
                : Self(widens: true, words: "customers can get it again sooner")
        }
        return grows
            ? Self(widens: true, words: "it stays open to a customer for longer")
            : Self(takesAway: true, words: "it closes to a customer sooner")
    }

    private static func ofWinBackTerms(_ field: String, _ from: String, _ to: String) -> Self? {
        switch field {
        case "paidSubscriptionDurationInMonths", "waitBetweenOffersInMonths":
            guard let old = from.isEmpty ? 0 : Int(from), let new = to.isEmpty ? 0 : Int(to) else { return unknown }
            return audience(losesSome: new > old, gainsSome: new < old)
        case "timeSinceLastSubscribedInMonths":
            guard let old = months(from), let new = months(to) else { return unknown }
            return audience(
                losesSome: !(new.contains(old.lowerBound) && new.contains(old.upperBound)),
                gainsSome: !(old.contains(new.lowerBound) && old.contains(new.upperBound)))
        default: return nil
        }
    }

    /// `1 to 12`; no range holds every number of months.
    private static func months(_ text: String) -> ClosedRange<Int>? {
        if text.isEmpty { return 0...Int.max }
        let ends = text.split(separator: " to ").compactMap { Int($0) }
        return ends.count == 2 && ends[0] <= ends[1] ? ends[0]...ends[1] : nil
    }

    /// A budget counts what a use costs, so other terms let more or fewer customers have the offer.
    private static func ofTerms(_ words: String, isBudgeted: Bool) -> Self {
        isBudgeted
            ? Self(takesAway: true, widens: true, words: words + "; each use takes another amount from a budget")
            : Self(words: words)
    }

    private static func ofTags(_ from: String, _ to: String, _ catalogs: [Catalog?]) -> Self {
        let (gained, lost) = difference(from, to)
        let counted = catalogs.compactMap(\.self).flatMap { $0.offers.flatMap(\.limits) }.flatMap { limit -> [String] in
            if case .perCustomer(_, _, .tag(let tag)) = limit { [tag] } else { [] }
        }
        let affected = (gained + lost).filter(counted.contains)
        guard !affected.isEmpty else { return Self(words: "only tags change") }
        return Self(
            takesAway: true, widens: true,
            words: "limits across the tag \(affected.map { "`\($0)`" }.joined(separator: ", ")) count other offers")
    }

    private static func ofOther(_ field: String) -> Self {
        switch field {
        case "priority": Self(words: "customers with several offers may see another one first")
        case "offerIdentifier":
            Self(
                takesAway: true, widens: true,
                words: "customers get another offer of App Store Connect; it must exist there under this name")
        case "type", "delivery": Self(takesAway: true, widens: true, words: "it becomes another kind of offer")
        default: unknown
        }
    }

    private static func difference(_ from: String, _ to: String) -> (gained: [String], lost: [String]) {
        let (old, new) = (Set(words(from)), Set(words(to)))
        return (new.subtracting(old).sorted(), old.subtracting(new).sorted())
    }

    private static func words(_ list: String) -> [String] {
        list.split(separator: ", ").map(String.init)
    }
}

// Rollouts, by the server's words for them: `percent 50.0, holdout 5.0, salt spring`.
extension CatalogEffect {
    private static func ofRollout(_ from: String, _ to: String) -> Self {
        guard let old = rollout(from), let new = rollout(to) else { return unknown }
        // The salt draws who is in; nothing is drawn where all are, or none.
        guard old.salt == new.salt || [old, new].contains(where: { $0.percent <= 0 || $0.percent >= 100 }) else {
            return Self(
                takesAway: true, widens: true, words: "another salt draws other customers: some gain it, others lose it"
            )
        }
        return audience(
            losesSome: new.percent < old.percent || new.holdout > old.holdout,
            gainsSome: new.percent > old.percent || new.holdout < old.holdout)
    }

    /// No rollout is one for all customers.
    static func rollout(_ text: String) -> Rollout? {
        if text.isEmpty { return Rollout(percent: 100) }
        guard let match = text.wholeMatch(of: #/percent ([0-9.]+), holdout ([0-9.]+), salt (.+)/#),
            let percent = Double(match.output.1), let holdout = Double(match.output.2)
        else { return nil }
        return Rollout(percent: percent, holdout: holdout, salt: String(match.output.3))
    }
}

extension RuleNode {
    /// Whether one of its comparisons is of that fact.
    fileprivate func names(_ fact: String) -> Bool {
        switch self {
        case .all(let children), .any(let children): children.contains { $0.names(fact) }
        case .not(let child): child.names(fact)
        case .comparison(let comparison): comparison.fact == fact
        }
    }
}

extension Offer {
    /// Whether the first of its ids decides which customers its rollout or holdout draws.
    fileprivate var isDrawnByItsId: Bool {
        rollout.map { $0.holdout > 0 || $0.salt == nil && $0.percent > 0 && $0.percent < 100 } ?? false
    }

    fileprivate var hasBudget: Bool {
        limits.contains { limit in
            if case .budget = limit { true } else { false }
        }
    }
}

extension Period {
    /// In days, with months of that many.
    fileprivate func nominalDays(inMonth length: Int) -> Double {
        Double(months) * Double(length) + Double(days)
            + Double(timeMilliseconds) / Double(Instant.Duration.day)
    }
}
