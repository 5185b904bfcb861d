/// Support has granted the customer one use of the offer: what is in the way of its own rules and limits is lifted
/// (docs/decisions/0076).
///
/// Its own answer says only that a grant is in force; a decision then lifts what the grant can (``Decision/init(_:)``). A
/// decision without a grant does not mention it.
struct GrantRule: Rule {
    let id = RuleId.grantApplied
    var requirement: String { "a grant of support lifts the offer's own rules and limits for one use" }

    /// It concerns a customer, not an offer: a decision asks it last, if a grant is or will be in force.
    func concerns(_ offer: Offer) -> Bool { false }

    func finding(_ context: RuleContext) -> Finding {
        guard let grant = context.grant else { return waiting(context) }
        return satisfied(grant.words, evidence: grant.evidence, until: context.endOfGrant)
    }

    /// An issued offer that needed no grant is still open: asking again would use it and not the grant.
    private func waiting(_ context: RuleContext) -> Finding {
        guard let grant = context.waitingGrant, let open = context.use.openIssuedOffer else {
            return notApplicable("support has granted nothing")
        }
        return notApplicable(
            "\(grant.words), for use after \(open.countsUntil), when the issued offer `\(open.id)` no longer counts",
            evidence: grant.evidence)
    }
}

extension Grant {
    fileprivate var words: String { "support granted one use of the offer on \(grantedAt.day) (grant `\(id)`)" }

    fileprivate var evidence: [Evidence] {
        [Evidence(field: "grant", observed: .text(id.description))]
            + (expiresAt.map { [Evidence(field: "grant.expiresAt", observed: .instant($0))] } ?? [])
    }
}

extension RuleId {
    /// Whether a grant lifts it: the offer's own rules and limits. Not Apple's rules, nor what marketing decides for
    /// everyone; nor the number of signatures, because a further one uses no grant and is redeemed as well.
    var isLiftedByGrants: Bool {
        self != .limitSignatures && (rawValue.hasPrefix("rule.") || rawValue.hasPrefix("limit."))
    }
}

extension RuleContext {
    /// Whether support ever granted the subject anything. Grants are rare, so for most customers nothing else is asked.
    var hasGrants: Bool { !subject.past.facts.grants.isEmpty }

    /// The subject's grants of the offer, under whichever id.
    var grants: [Grant] { subject.past.facts.grants.filter { offer.has($0.offerId) } }

    /// The grant in force: the one that the open issued offer used, so that it can be signed again, or else the oldest
    /// that can be used.
    var grant: Grant? {
        guard hasGrants else { return nil }
        guard let open = use.openIssuedOffer else { return unusedGrant }
        return grants.first { $0.issuedOfferId == open.id }
    }

    /// A grant that can be used as soon as the open issued offer, which used none, is no longer open.
    var waitingGrant: Grant? {
        use.openIssuedOffer == nil || !hasGrants || grant != nil ? nil : unusedGrant
    }

    private var unusedGrant: Grant? {
        grants.filter { $0.isOpen(at: now) }.min { ($0.grantedAt, $0.id) < ($1.grantedAt, $1.id) }
    }

    /// The first moment at which the grant in force no longer is.
    var endOfGrant: Instant? {
        guard let grant else { return nil }
        return grant.issuedOfferId == nil ? grant.expiresAt : use.openIssuedOffer?.countsUntil
    }

    /// When a grant begins or ends to be in force.
    var grantChanges: [Instant] {
        guard hasGrants else { return [] }
        let grants = grants
        guard !grants.isEmpty else { return [] }
        return grants.compactMap(\.expiresAt) + (use.openIssuedOffer.map { [$0.countsUntil] } ?? [])
    }

    /// Whether a redemption is the one use that a grant gave, which counts under no limit.
    func isGranted(_ redemption: Redemption) -> Bool {
        guard hasGrants, !redemption.isDoubled, let id = redemption.issuedOfferId else { return false }
        return subject.issuedOffers.contains { $0.id == id && $0.grantId != nil }
    }
}

extension [Finding] {
    /// Lifts what is in the way and may be lifted, if a grant is in force. A grant that lifts nothing is not needed, and
    /// not used up.
    mutating func lift() {
        guard let place = firstIndex(where: { $0.rule == .grantApplied && $0.verdict == .satisfied }) else { return }
        let lifted = indices.filter { self[$0].verdict.isInTheWay && self[$0].rule.isLiftedByGrants }
        let grant = self[place].sentence
        guard !lifted.isEmpty else {
            self[place].verdict = .notApplicable
            self[place].reason = .notApplicable
            self[place].sentence = Message {
                "\(grant.text); it is not needed: nothing that it could lift is in the way"
            }
            return
        }
        for index in lifted {
            self[place].evidence.append(
                Evidence(field: self[index].rule.rawValue, observed: .text(self[index].verdict.rawValue)))
            self[index].verdict = .lifted
        }
        func names(_ places: [Int]) -> String { places.map { "`\(self[$0].rule.rawValue)`" }.joined(separator: ", ") }
        let left = indices.filter { self[$0].verdict.isInTheWay }
        let (lifts, keeps) = (names(lifted), names(left))
        self[place].sentence = Message {
            "\(grant.text); it lifts \(lifts)" + (left.isEmpty ? "" : ", but not \(keeps)")
        }
    }
}

extension Decision {
    /// Whether the offer needs the grant that is in force.
    public var needsGrant: Bool { findings.contains { $0.rule == .grantApplied && $0.verdict == .satisfied } }
}

extension PreparedSubject {
    /// The grant that is in force for a question, which a decision may need.
    public func grant(_ question: Question) -> Grant? { facts.grants.isEmpty ? nil : context(question).grant }
}
