package import OfferAPI
package import OfferDocuments
package import OfferModel

/// A change that the server would make, and what it means for customers.
package struct PlannedChange: Sendable {
    package let change: CatalogChange
    /// What this version finds there by comparing the catalogs; `nil` where it cannot read one of them, or
    /// finds nothing.
    private let difference: CatalogDifference?
    package let effect: CatalogEffect

    /// - Parameter inForce: the catalog in force; like the file, `nil` where this version cannot read it.
    package static func all(_ changes: [CatalogChange], from inForce: Catalog?, to file: Catalog?) -> [PlannedChange] {
        var found: [OfferId?: [String?: CatalogDifference]] = [:]
        if let inForce, let file {
            for difference in CatalogDifference.all(from: inForce, to: file) {
                found[difference.offerId, default: [:]][difference.path] = difference
            }
        }
        return changes.map { change in
            let difference = found[change.offerId]?[change.path]
            return Self(change, difference?.kind.rawValue == change.change ? difference : nil, file)
        }
    }

    private init(_ change: CatalogChange, _ difference: CatalogDifference?, _ file: Catalog?) {
        self.change = change
        self.difference = difference
        effect = difference.map { $0.effect ?? .unknown } ?? CatalogEffect(change, in: file)
    }

    /// Whether it makes an offer one that is issued, if its status is active.
    package var beginsIssuing: Bool { change.path == nil && change.change == "added" || change.path == "status" }

    /// What the change means, with its times as people read them.
    package var words: String { TimeText.readable(effect.words) }

    /// `limits: 1 per customer → 2 per customer`, of a whole offer `removed`.
    package var line: String {
        guard let path = change.path else { return effect.isRename ? "renamed" : change.change }
        if let (old, new) = difference?.comparisons, let text = Self.line(old, new) { return text }
        let (from, to) = difference?.offers.flatMap { shown($0.old, $0.new) } ?? (change.from, change.to)
        func value(_ text: String?) -> String { text.flatMap { $0.isEmpty ? nil : $0 } ?? "none" }
        return TimeText.readable("\(path): \(value(from)) → \(value(to))")
    }

    /// Values that are told to people in other words than to programs.
    private func shown(_ old: Offer, _ new: Offer) -> (String?, String?)? {
        switch change.path {
        case "rollout":
            return (old.rollout.map(OfferWording.withSalt), new.rollout.map(OfferWording.withSalt))
        case "limits":
            // Those that differ are enough.
            let gone = old.limits.filter { !new.limits.contains($0) }
            let added = new.limits.filter { !old.limits.contains($0) }
            return gone.isEmpty || added.isEmpty ? nil : (OfferWording.limits(gone), OfferWording.limits(added))
        default: return nil
        }
    }

    /// `subscription.paidMonths is at least 6 → 3`; `nil` unless fact and operator stay.
    private static func line(_ old: Comparison, _ new: Comparison) -> String? {
        guard old.fact == new.fact, old.comparisonOperator == new.comparisonOperator else { return nil }
        let separator = new.comparisonOperator == .between ? " and " : ", "
        let values = [old, new].map { $0.operands.map(\.description).joined(separator: separator) }
        return "\(new.fact) \(new.comparisonOperator.words) \(values[0]) → \(values[1])"
    }
}

extension CatalogEffect {
    static let unknown = unclear("this version cannot tell for which customers that changes something")

    /// Of a change of which only the server tells: a whole offer that is new, or removed, is clear.
    fileprivate init(_ change: CatalogChange, in file: Catalog?) {
        self =
            switch (change.change, change.path) {
            case ("removed", nil): .stopped
            case ("added", nil):
                change.offerId.flatMap { file?.offer($0) }.map(CatalogEffect.init(added:))
                    ?? Self(widens: true, "a new offer; this version cannot read its terms")
            default: .unknown
            }
    }

    package var needsConfirmation: Bool { takesAway || widens }

    /// `+` widened, `-` taken away, `±` both, `·` neither, `?` not known.
    package var mark: String {
        guard isCertain else { return "?" }
        return switch (widens, takesAway) {
        case (true, true): "±"
        case (true, false): "+"
        case (false, true): "-"
        case (false, false): "·"
        }
    }
}
