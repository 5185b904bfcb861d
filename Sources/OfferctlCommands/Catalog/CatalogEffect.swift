import OfferAPI
import OfferModel

/// What one difference between two catalogs means for customers (`docs/marketing.md` lists the rules).
///
/// Judged from the list of changes that the server gives, so that every client can do the same. What this version does not
/// know may do anything, and counts as both.
struct CatalogEffect: Sendable, Hashable {
    /// Somebody who could have an offer no longer can, or less often.
    var takesAway = false
    /// Somebody can have an offer who could not, or more often.
    var widens = false
    /// The same in words.
    var words: String

    /// Whether somebody must say that it is meant.
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

    init(_ change: CatalogChangeBody) {
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

    init(takesAway: Bool = false, widens: Bool = false, words: String) {
        self.takesAway = takesAway
        self.widens = widens
        self.words = words
    }

    private static func ofWholeOffer(_ change: String) -> Self {
        switch change {
        case "added": Self(words: "a new offer")
        case "removed":
            Self(
                takesAway: true,
                words: "nobody gets it any more; signatures given out already stay valid at Apple for up to 24 hours")
        default: unknown
        }
    }

    private static func ofStatus(_ from: String, _ to: String) -> Self {
        switch (OfferStatus(rawValue: from), OfferStatus(rawValue: to)) {
        case (.draft?, .active?): Self(words: "it is issued from now on, within its dates")
        case (.archived?, .active?): Self(widens: true, words: "an offer that had ended is issued again")
        case (.active?, .draft?), (.active?, .archived?):
            Self(
                takesAway: true,
                words: "nobody gets it any more; signatures given out already stay valid at Apple for up to 24 hours")
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
                takesAway: true, words: "an app that needs \(lost.joined(separator: ", ")) gets no signature any more")
        }
        return Self(words: "the first is given where the backend asks for none")
    }

    private static func ofSignatures(_ from: String, _ to: String) -> Self {
        guard let old = Int(from), let new = Int(to) else { return unknown }
        return new > old
            ? Self(widens: true, words: "one issued offer can be redeemed once for each signature that still lives")
            : Self(takesAway: true, words: "after failed purchases fewer new signatures are given")
    }

    private static func ofOther(_ field: String) -> Self {
        switch field {
        case "eligibility": Self(takesAway: true, widens: true, words: "who may have it changes")
        case "price", "paymentMode", "period", "periodCount":
            Self(words: "what customers pay is set in App Store Connect: change it there as well")
        case "priority": Self(words: "who may have several offers may be shown another one first")
        case "tags": Self(words: "only the names of its groups change")
        case "offerIdentifier":
            Self(
                takesAway: true, widens: true,
                words: "customers get another offer of App Store Connect; it must exist there under this name")
        case "type", "delivery": Self(takesAway: true, widens: true, words: "it becomes another kind of offer")
        default: unknown
        }
    }

    static let unknown = Self(
        takesAway: true, widens: true, words: "this version of offerctl cannot tell for whom that changes something")

    private static func words(_ list: String) -> [String] {
        list.split(separator: ", ").map(String.init)
    }
}
