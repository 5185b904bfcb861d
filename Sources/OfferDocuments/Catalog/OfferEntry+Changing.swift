package import OfferModel

/// An offer that is in the text already, changed by the form.
extension OfferEntry {
    /// What the form shows of an offer.
    package struct Shown: Sendable {
        package private(set) var typed: [Field: String] = [:]
        /// Fields with a value that the form has no place for; they are left alone.
        package private(set) var kept: Set<Field> = []

        package init(_ offer: Offer) {
            typed = [
                .id: offer.id.rawValue, .type: offer.type.rawValue,
                .products: offer.products.map(\.rawValue).joined(separator: "\n"),
                .paymentMode: offer.paymentMode.rawValue, .period: offer.period.description,
                .periodCount: String(offer.periodCount), .status: offer.status.rawValue,
            ]
            typed[.offerIdentifier] = offer.offerIdentifier?.rawValue
            typed[.price] = offer.price?.amount
            (typed[.starts], typed[.ends]) = (offer.starts?.description, offer.ends?.description)
            if let condition = offer.eligibility { show(condition) }
            for limit in offer.limits { show(limit) }
        }

        private mutating func show(_ condition: RuleNode) {
            let line = ConditionText.line(condition)
            // An input of a page has one line.
            guard line.unicodeScalars.count <= ConditionText.longest,
                !line.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }),
                (try? ConditionText.read(line, isAsked: true)) == condition
            else {
                kept.insert(.eligibility)
                return
            }
            typed[.eligibility] = line
        }

        private mutating func show(_ limit: Limit) {
            let (field, value) = limit.shown
            if let value, typed[field] == nil, !kept.contains(field) {
                typed[field] = value
            } else {
                kept.insert(field)
                typed[field] = nil
            }
        }

        /// Names these values: a form that was filled with others would undo what was changed since.
        package var mark: String {
            TextMark.of(
                Field.allCases.map { field in
                    kept.contains(field) ? "\(field)" : "\(field) \(typed[field]?.debugDescription ?? "")"
                }.joined(separator: "\n"))
        }
    }

    /// The text in which the offer of this id has the values of the form. Only the members that differ from what the
    /// form was filled with are written; all else in the text stays as it is.
    ///
    /// - Parameter filled: the mark of what the form was filled with.
    /// - Returns: `nil` if the text is written in a way that nothing can be changed in here.
    /// - Throws: ``InvalidDocument`` if the text is no catalog, ``Refusal`` if it would be none with the change.
    package func changed(in text: String, filled: String) throws -> String? {
        let catalog = try CatalogReader.read(text).value
        guard let place = catalog.offers.firstIndex(where: { $0.id.rawValue == typed[.id] }) else {
            throw Refusal(.unknownOffer, "the text has no such offer", hint: "choose one that it has")
        }
        let shown = Shown(catalog.offers[place])
        guard shown.mark == filled else {
            throw Refusal(
                .contradiction, "the offer was changed in the text since the form was filled",
                hint: "fill the form again: it then shows what the text says now")
        }
        guard let written = WrittenOffer(text, place) else { return nil }
        let changes = try changes(of: catalog.offers[place], shown, written, in: catalog)
        guard !changes.isEmpty else { return text }
        let meant: Catalog
        do {
            meant = try CatalogReader.read(CatalogWriter.yaml(catalog, written.node(changes), at: place)).value
        } catch {
            throw Refusal(issues: error.errors.map { $0.within("offers[\(place)]") })
        }
        // Whatever the text looks like, it must say this and nothing else.
        guard let changed = written.text(changes), let read = try? CatalogReader.read(changed).value, read == meant
        else { return nil }
        return changed
    }

    /// The members that become others; those without a value go.
    private func changes(
        of offer: Offer, _ shown: Shown, _ written: WrittenOffer, in catalog: Catalog
    ) throws -> [WrittenOffer.Change] {
        var entry = self
        // What was there stays in its order.
        let (old, new) = (offer.products.map(\.rawValue), products)
        entry.typed[.products] = (old.filter(new.contains) + new.filter { !old.contains($0) }).joined(separator: "\n")
        for field in shown.kept { entry.typed[field] = nil }
        let changed = Field.allCases.filter { field in
            field != .id && Array((entry.typed[field] ?? "").utf8) != Array((shown.typed[field] ?? "").utf8)
        }
        guard !changed.isEmpty else { return [] }
        var keys: [String] = []
        for field in changed where keys.last != field.key { keys.append(field.key) }
        let entries = try entry.entries(in: catalog)
        return keys.map { key in
            key == "limits"
                ? (key, .list(entry.limits(of: offer, changed, written.items(of: key), in: catalog)))
                : (key, entries.first { $0.key == key }?.value)
        }
    }

    /// Those that were not changed are as they are written.
    private func limits(
        of offer: Offer, _ changed: [Field], _ written: [OutputNode], in catalog: Catalog
    ) -> [OutputNode] {
        var added = Self.limits.filter(changed.contains)
        let limits = zip(offer.limits, written).compactMap { limit, node in
            let field = limit.shown.field
            guard let place = added.firstIndex(of: field) else { return node }
            added.remove(at: place)
            return self.limit(field, in: catalog)
        }
        return limits + added.compactMap { self.limit($0, in: catalog) }
    }
}

extension OfferEntry.Refusal {
    fileprivate init(_ code: DocumentIssueCode, _ detail: String, hint: String) {
        issues = [DocumentIssue(code, at: .start, path: "id", detail, hint: hint)]
    }
}

extension OfferEntry.Field {
    /// The member of an offer that it is, or is a part of.
    fileprivate var key: String {
        switch self {
        case .id: "id"
        case .eligibility: "eligibility"
        case .perCustomer, .total, .budget: "limits"
        default: rawValue
        }
    }
}

extension Limit {
    /// Its field in the form, without a value if it says more than the field does.
    fileprivate var shown: (field: OfferEntry.Field, value: String?) {
        switch self {
        case .total(let count): (.total, String(count))
        case .budget(let money): (.budget, money.amount)
        case .perCustomer(let count, nil, .thisOffer): (.perCustomer, String(count))
        case .perCustomer, .perAccount: (.perCustomer, nil)
        }
    }
}

/// A short name of a text, so that what a page was about is what its form changes (FNV-1a).
package enum TextMark {
    package static func of(_ text: String) -> String {
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(truncatingIfNeeded: byte)) &* 0x100_0000_01B3
        }
        return String(hash, radix: 16)
    }
}
