import OfferModel

/// An offer in the catalog in force and in the one that is to follow it.
struct OfferChange: Sendable {
    /// Under the id it had. Of a renamed offer that id is one of `formerly`, as if it had been renamed only.
    let old: Offer
    let new: Offer
    let catalogs: CatalogPair

    init(old: Offer, new: Offer, catalogs: CatalogPair) {
        var old = old
        if old.id != new.id { old.formerly = old.ids }
        (self.old, self.new, self.catalogs) = (old, new, catalogs)
    }
}

/// A field of an offer: its name in the catalog document, its value, how that is written, and what another value means
/// for customers.
struct OfferField: Sendable {
    let name: String
    /// What an offer has there: an entry for each comparison of a condition, at most one of any other field.
    let entries: @Sendable (Offer, OfferChange) -> [CatalogEntry]

    /// - Parameters:
    ///   - concernsOthers: whether it matters also while the offer is not issued.
    ///   - text: `nil` for a value that the document leaves out.
    ///   - effect: by the values before and after, which differ; `nil` if it cannot be told.
    private init<Value: Hashable & Sendable>(
        _ name: String, concernsOthers: Bool = false, _ value: @escaping @Sendable (Offer) -> Value,
        _ text: @escaping @Sendable (Value) -> String?,
        effect: @escaping @Sendable (Value, Value, OfferChange) -> CatalogEffect?
    ) {
        self.name = name
        entries = { offer, change in
            let own = value(offer)
            let entry = text(own).map {
                CatalogEntry(path: name, value: own, text: $0) {
                    concernsOthers
                        ? effect(value(change.old), value(change.new), change)
                        : change.effect(effect(value(change.old), value(change.new), change))
                }
            }
            return entry.map { [$0] } ?? []
        }
    }

    /// Every field, in the order in which differences are listed. A test compares the list with ``Offer``.
    static let all: [OfferField] = [
        OfferField("id", concernsOthers: true, \.id, { $0.rawValue }) { old, _, _ in
            CatalogEffect("renamed: uses, limits and pauses of `\(old)` carry over; request it by its new id")
        },
        OfferField(
            "formerly", concernsOthers: true, \.formerly, { $0.isEmpty ? nil : list($0) },
            effect: CatalogEffect.ofFormerIds),
        OfferField("type", \.type, { $0.rawValue }) { _, _, _ in .otherKind },
        OfferField("delivery", \.delivery, { $0.rawValue }) { _, _, _ in .otherKind },
        OfferField("offerIdentifier", \.offerIdentifier, { $0?.rawValue }) { _, _, _ in
            .both("customers get another offer of App Store Connect; it must exist there under this name")
        },
        OfferField("products", \.products, list) { old, new, _ in .ofItems(old, new, "products") },
        OfferField("billingPlan", \.billingPlan, { $0?.name }) { .ofTerms($2) },
        OfferField("paymentMode", \.paymentMode, { $0.rawValue }) { .ofTerms($2) },
        OfferField("period", \.period, { "\($0)" }) { .ofTerms($2) },
        OfferField("periodCount", \.periodCount, { "\($0)" }) { .ofTerms($2) },
        OfferField("price", \.price, { $0?.description }) { .ofTerms($2) },
        OfferField(
            "status", concernsOthers: true, \.status, { $0.rawValue }, effect: CatalogEffect.ofStatus),
        OfferField("starts", \.starts, { $0?.description }) { old, new, _ in
            .ofBound(old, new, isWider: <, wider: "it begins earlier", narrower: "it begins later")
        },
        OfferField("ends", \.ends, { $0?.description }) { old, new, _ in
            .ofBound(old, new, isWider: >, wider: "it runs longer", narrower: "it ends earlier")
        },
        OfferField("priority", \.priority, { "\($0)" }) { _, _, _ in
            CatalogEffect("customers with several offers may see another one first")
        },
        OfferField("tags", concernsOthers: true, \.tags, { $0.joined(separator: ", ") }) { old, new, change in
            .ofTags(old, new, change.catalogs)
        },
        OfferField("environments", \.environments, { list($0.sorted { $0.rawValue < $1.rawValue }) }) {
            old, new, _ in .ofItems(Array(old), Array(new), "environments")
        },
        OfferField("availableFor", \.availableFor, { $0?.description }) { old, new, _ in
            // Without it an offer stays open.
            .ofLength(
                old, new, absentIsLonger: true, longer: CatalogEffect(widens: "it stays open to a customer for longer"),
                shorter: CatalogEffect(takesAway: "it closes to a customer sooner"))
        },
        OfferField("limits", \.limits, { $0.map(\.description).joined(separator: "; ") }) { old, new, change in
            .ofLimits(old, new, unlimited: change.new.unlimitedUse)
        },
        OfferField("again", \.again, { $0?.description }) { old, new, _ in
            // Without it there is no next time.
            .ofLength(
                old, new, absentIsLonger: true,
                longer: CatalogEffect(
                    takesAway: "customers who used an introductory offer "
                        + (new == nil ? "get no other" : "wait longer for another")),
                shorter: CatalogEffect(
                    widens: "customers who used an introductory offer may have another"
                        + (old == nil ? "" : " sooner")))
        },
        OfferField("coolDown", \.coolDown, { $0?.description }) { old, new, _ in
            // Without it there is no wait.
            .ofLength(
                old, new, absentIsLonger: false, longer: CatalogEffect(takesAway: "customers who had it wait longer"),
                shorter: CatalogEffect(widens: "customers can get it again sooner"))
        },
        OfferField("excludes", \.excludes, list) { old, new, _ in
            .audience(losesSome: !Set(new).isSubset(of: old), gainsSome: !Set(old).isSubset(of: new))
        },
        OfferField(
            "rollout", \.rollout,
            { $0.map { "percent \($0.percent), holdout \($0.holdout), salt \($0.salt ?? "–")" } }
        ) { old, new, _ in .ofRollout(old, new) },
        OfferField("formats", \.formats, list) { old, new, _ in .ofFormats(old, new) },
        OfferField("signaturesPerOffer", \.signaturesPerOffer, { "\($0)" }) { old, new, _ in
            new > old
                ? CatalogEffect(widens: "one issued offer can be redeemed once for each unexpired signature")
                : CatalogEffect(takesAway: "fewer new signatures are issued after failed purchases")
        },
        OfferField(
            "paidSubscriptionDurationInMonths", \.winBackTerms?.paidSubscriptionDurationInMonths, { $0?.description }
        ) { old, new, _ in .ofLeastMonths(old, new) },
        OfferField(
            "timeSinceLastSubscribedInMonths", \.winBackTerms?.timeSinceLastSubscribedInMonths,
            { $0.map { "\($0.lowerBound) to \($0.upperBound)" } }
        ) { old, new, _ in .ofMonths(old, new) },
        OfferField("waitBetweenOffersInMonths", \.winBackTerms?.waitBetweenOffersInMonths, { $0?.description }) {
            old, new, _ in .ofLeastMonths(old, new)
        },
        OfferField(eligibility: "eligibility"),
    ]

    private static func list<Item: RawRepresentable<String>>(_ items: [Item]) -> String {
        items.map(\.rawValue).joined(separator: ", ")
    }
}

extension OfferField {
    /// The condition: each of its comparisons is an entry, and the whole of it is judged.
    private init(eligibility name: String) {
        self.name = name
        entries = { offer, change in
            (offer.eligibility?.comparisons(at: name) ?? []).map { path, comparison in
                let operands = comparison.operands.map(\.description).joined(separator: ", ")
                let text = "\(comparison.fact) \(comparison.comparisonOperator.rawValue) \(operands)"
                return CatalogEntry(path: path, value: comparison, text: text) {
                    let (old, new) = (change.old.eligibility ?? .all([]), change.new.eligibility ?? .all([]))
                    return change.effect(.audience(losesSome: !old.implies(new), gainsSome: !new.implies(old)))
                }
            }
        }
    }
}

extension RuleNode {
    /// Its comparisons with their places, such as `eligibility.all[1].not`.
    func comparisons(at path: String) -> [(path: String, comparison: Comparison)] {
        switch self {
        case .all(let children): children.enumerated().flatMap { $1.comparisons(at: "\(path).all[\($0)]") }
        case .any(let children): children.enumerated().flatMap { $1.comparisons(at: "\(path).any[\($0)]") }
        case .not(let child): child.comparisons(at: "\(path).not")
        case .comparison(let comparison): [(path, comparison)]
        }
    }
}
