import OfferAPI
import OfferModel

/// What one difference between two catalogs means for customers (`docs/marketing.md` lists the rules).
///
/// Judged from the list of changes that the server gives, so that every client can do the same. What this version does not
/// know may do anything, and counts as both.
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

    private static let stopped = Self(
        takesAway: true,
        words: "it is no longer issued; signatures already issued stay valid at Apple for up to 24 hours")

    static let unknown = Self(
        takesAway: true, widens: true,
        words: "this version of offerctl cannot tell for which customers that changes something")
}

extension CatalogEffect {
    init(_ change: CatalogChange) {
        guard let path = change.path else {
            self = Self.ofWholeOffer(change.change)
            return
        }
        guard change.offerId != nil else {
            self.init(words: "what the offers are compared with; what is charged is set in App Store Connect")
            return
        }
        let field = String(path.prefix { $0 != "." && $0 != "[" })
        let (from, to) = (change.from ?? "", change.to ?? "")
        self =
            switch field {
            case "status": Self.ofStatus(from, to)
            case "starts": Self.ofTime(to, from, earliest: true)
            case "ends": Self.ofTime(from, to, earliest: false)
            case "limits": LimitComparison.effect(from: from, to: to)
            case "products", "environments": Self.ofList(from, to, field)
            case "formats": Self.ofFormats(from, to)
            case "signaturesPerOffer": Self.ofSignatures(from, to)
            default: Self.ofOther(field)
            }
    }

    private static func ofWholeOffer(_ change: String) -> Self {
        switch change {
        case "added": Self(words: "a new offer")
        case "removed": stopped
        default: unknown
        }
    }

    private static func ofStatus(_ from: String, _ to: String) -> Self {
        switch (OfferStatus(rawValue: from), OfferStatus(rawValue: to)) {
        case (.draft?, .active?): Self(words: "it is issued from now on, within its dates")
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
        let (old, new) = (Set(words(from)), Set(words(to)))
        let (gained, lost) = (new.subtracting(old).sorted(), old.subtracting(new).sorted())
        let sentences = [
            gained.isEmpty ? nil : "now also for " + gained.joined(separator: ", "),
            lost.isEmpty ? nil : "no longer for " + lost.joined(separator: ", "),
        ].compactMap { $0 }
        return Self(
            takesAway: !lost.isEmpty, widens: !gained.isEmpty,
            words: sentences.isEmpty ? "another order of its \(noun)" : sentences.joined(separator: "; "))
    }

    private static func ofFormats(_ from: String, _ to: String) -> Self {
        let lost = Set(words(from)).subtracting(words(to)).sorted()
        guard lost.isEmpty else {
            return Self(
                takesAway: true, words: "an app that needs \(lost.joined(separator: ", ")) gets no signature")
        }
        return Self(words: "the first is given where the backend asks for none")
    }

    private static func ofSignatures(_ from: String, _ to: String) -> Self {
        guard let old = Int(from), let new = Int(to) else { return unknown }
        return new > old
            ? Self(widens: true, words: "one issued offer can be redeemed once for each signature that still lives")
            : Self(takesAway: true, words: "fewer new signatures are issued after failed purchases")
    }

    private static func ofOther(_ field: String) -> Self {
        switch field {
        case "eligibility": Self(takesAway: true, widens: true, words: "who may have it changes")
        case "price", "paymentMode", "period", "periodCount":
            Self(words: "what customers pay is set in App Store Connect: change it there as well")
        case "priority": Self(words: "customers with several offers may see another one first")
        case "tags": Self(words: "only tags change")
        case "offerIdentifier":
            Self(
                takesAway: true, widens: true,
                words: "customers get another offer of App Store Connect; it must exist there under this name")
        case "type", "delivery": Self(takesAway: true, widens: true, words: "it becomes another kind of offer")
        default: unknown
        }
    }

    private static func words(_ list: String) -> [String] {
        list.split(separator: ", ").map(String.init)
    }
}

/// Compares an offer's limits by the server's words for them: `1 per customer in P90D; 10000 in all`.
enum LimitComparison {
    static func effect(from: String, to: String) -> CatalogEffect {
        guard let old = allowances(from), let new = allowances(to) else { return .unknown }
        var effect = CatalogEffect(words: "")
        for kind in Set(old.keys).union(new.keys) {
            // No limit of a kind allows everything.
            let (before, after) = (old[kind] ?? .infinity, new[kind] ?? .infinity)
            if after > before { effect.widens = true }
            if after < before { effect.takesAway = true }
        }
        effect.words =
            switch (effect.widens, effect.takesAway) {
            case (true, false):
                new.isEmpty ? "without limits, customers may have it again and again" : "it may be issued more often"
            case (false, true): "it may be issued less often; customers who had more keep it"
            case (true, true): "in one way it may be issued more often, in another less"
            case (false, false): "the same limits in another order"
            }
        return effect
    }

    /// The smallest allowance by the words after the number, since every limit must hold; `nil` if one is not understood.
    private static func allowances(_ text: String) -> [String: Double]? {
        var result: [String: Double] = [:]
        for limit in text.split(separator: "; ") {
            let parts = limit.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let allowance = Double(parts[0]) else { return nil }
            result[String(parts[1])] = min(allowance, result[String(parts[1])] ?? .infinity)
        }
        return result
    }
}
