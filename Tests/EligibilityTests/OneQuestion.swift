@testable import OfferModel

extension Decision {
    /// When this answer to a single question changes.
    func outlook(_ question: Question, facts: SubjectFacts, policy: Policy = .standard) -> Outlook {
        outlook(question, about: PreparedSubject(facts, policy: policy))
    }
}

extension SubjectFacts {
    /// The subject of a single question.
    func subject(of question: Question) -> Subject { PreparedSubject(self).context(question).subject }
}

extension CompiledCatalog {
    /// The catalog's own compiled offer, or another one compiled by itself.
    func compiled(_ offer: Offer) -> CompiledOffer {
        compiledOffer(offer.id).flatMap { $0.offer == offer ? $0 : nil } ?? CompiledOffer(offer)
    }
}

extension GroupView {
    /// The candidates by the definition (decision 0011), at one instant alone.
    func definedCandidates(at instant: Instant) -> [Candidate] {
        let all = subscriptions.map { $0.seen(at: instant) }
            .sorted { $1.current.wasBought(before: $0.current) }
            .map { Candidate($0, at: instant, policy) }
        guard all.count > 1 else { return all }
        let remaining = all.enumerated().filter { index, candidate in
            !candidate.subscription.isSuperseded || !all[..<index].contains { $0.isOwned == candidate.isOwned }
        }
        guard let own = remaining.first(where: { $0.element.isOwned == true }) else { return remaining.map(\.element) }
        let bought = own.element.subscription.current.payload.purchaseDate
        return remaining.filter { index, candidate in
            if candidate.resolution.hasAccess == true || candidate.isTrying { return true }
            guard candidate.isOwned == false else { return index <= own.offset }
            guard candidate.resolution.name == nil else { return false }
            return candidate.subscription.accessEnds.map { $0 > bought } ?? true
        }
        .map(\.element)
    }

    /// The state by the definition, at one instant alone.
    func definedState(at instant: Instant) -> SubscriptionState {
        let candidates = definedCandidates(at: instant)
        let withAccess = candidates.filter { $0.resolution.hasAccess == true }
        let unknown = candidates.filter { $0.resolution.name == nil }
        let considered = !withAccess.isEmpty ? withAccess : !unknown.isEmpty ? unknown : candidates
        return state(
            at: instant, governing: considered.min { $0.precedence < $1.precedence }, hasAccess: !withAccess.isEmpty,
            accessEnds: withAccess.compactMap(\.subscription.accessEnds).max())
    }

    func definedLastEnded(at instant: Instant) -> Ended? {
        subscriptions.compactMap { $0.seen(at: instant).ended }
            .max { ($0.at, $0.row.payload.transactionId) < ($1.at, $1.row.payload.transactionId) }
    }
}
