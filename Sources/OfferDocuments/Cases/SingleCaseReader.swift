import OfferModel

struct SingleCaseReader {
    private static let keys = [
        "name", "asOf", "offer", "productId", "environment", "history", "signals", "attributes", "request",
        "issuedOffers", "grants", "pause", "openedAt", "rolloutKey", "firstStoredAt", "needsNewSigning",
        "takesHistoryAsProven", "groupProducts", "isPresent", "counters", "accountUses", "expect",
    ]

    let source: CaseOffers
    let histories: CaseHistories

    /// - Parameter names: the lines of the cases before, by name: reports and people tell cases by it.
    func read(_ field: Field, _ names: inout [String: Int]) -> OfferCase? {
        guard let mapping = field.mapping(Self.keys) else { return nil }
        let name = mapping.required("name").flatMap { unique($0, &names) }
        let asOf = mapping.required("asOf")?.caseInstant()
        let expected = mapping.required("expect").flatMap(CaseExpectationReader().read)
        var result = OfferCase(
            name: name ?? "", line: field.node.position.line, asOf: asOf ?? .unread,
            offer: offer(mapping, field, expected), expected: expected ?? CaseExpectation())
        result.environment = mapping.optional("environment")?.choice(AppStoreEnvironment.self) ?? .production
        result.history = mapping.optional("history").flatMap(histories.read) ?? CaseHistory()
        readFacts(mapping, &result)
        readQuestion(mapping, &result)
        return result
    }

    private func unique(_ field: Field, _ names: inout [String: Int]) -> String? {
        guard let name = field.text() else { return nil }
        if let line = names.updateValue(field.node.position.line, forKey: name) {
            field.refuse(
                .duplicateValue, "the case in line \(line) has the name \(quoted(name)) too",
                hint: "say what differs between the two")
        }
        return name
    }

    private func readFacts(_ mapping: Mapping, _ result: inout OfferCase) {
        result.signals = values(mapping.optional("signals"))
        result.attributes = values(mapping.optional("attributes"))
        result.firstStoredAt = mapping.optional("firstStoredAt")?.caseInstant()
        result.rolloutKey = mapping.optional("rolloutKey")?.text()
        result.openedAt = openings(mapping.optional("openedAt"), result.offer)
        let reader = CaseIssuedOfferReader(source: source, asked: result.offer)
        result.issuedOffers = mapping.optional("issuedOffers")?.list(allowsEmpty: true)?.compactMap(reader.read) ?? []
        let grants = mapping.optional("grants")?.list(allowsEmpty: true) ?? []
        result.grants = grants.enumerated().compactMap { reader.readGrant($1, place: $0) }
    }

    private func readQuestion(_ mapping: Mapping, _ result: inout OfferCase) {
        result.productId = mapping.optional("productId")?.id(.productId)
        result.pause = mapping.optional("pause")?.choice(Pause.self) ?? .none
        result.needsNewSigning = mapping.optional("needsNewSigning")?.boolean() ?? true
        result.takesHistoryAsProven = mapping.optional("takesHistoryAsProven")?.boolean() ?? false
        result.isPresent = mapping.optional("isPresent")?.boolean() ?? false
        result.counters = mapping.isNull("counters") ? nil : counters(mapping.optional("counters"))
        result.accountUses = mapping.optional("accountUses")?.list(allowsEmpty: true)?.compactMap { $0.caseInstant() }
        result.groupProducts = mapping.optional("groupProducts")?.list(allowsEmpty: true)?
            .compactMap { $0.id(.productId) }
        let members = ["appVersion", "osVersion", "locale", "placement"]
        guard let request = mapping.optional("request")?.mapping(members) else { return }
        result.request = DeviceRequest(
            appVersion: request.optional("appVersion")?.text(), osVersion: request.optional("osVersion")?.text(),
            locale: request.optional("locale")?.text(), placement: request.optional("placement")?.text(.placement))
    }

    private func counters(_ field: Field?) -> CaseCounters {
        guard let mapping = field?.mapping(["used", "spent", "frees", "asOf"]) else { return CaseCounters() }
        var counters = CaseCounters()
        counters.used = mapping.optional("used")?.wholeNumber(0...1_000_000_000)
        counters.spent = mapping.optional("spent")?.money()
        counters.frees = mapping.optional("frees")?.caseInstant()
        counters.asOf = mapping.optional("asOf")?.caseInstant()
        return counters
    }

    /// The offer asked for, which may be left out where the file has one, or where the case is not about one; empty if
    /// there is an error in it.
    private func offer(_ mapping: Mapping, _ field: Field, _ expected: CaseExpectation?) -> OfferId? {
        let unread: OfferId = ""
        if mapping.has("offer") {
            let id = mapping.optional("offer")?.knownOffer(of: source) ?? unread
            return source.offers.first { $0.has(id) }?.id ?? id
        }
        guard let ids = source.ids else { return unread }
        if source.offers.count == 1, let only = source.offers.first { return only.id }
        guard let expected, expected.outcome != nil || !expected.findings.isEmpty else { return nil }
        let known = ids.map { "`\($0)`" }.joined(separator: ", ")
        field.refuse(
            .missingKey, "missing key `offer`",
            hint: ids.isEmpty ? "give the file a `catalog` or `offers`" : "say which offer is asked for: \(known)")
        return unread
    }

    private func values(_ field: Field?) -> [String: FactValue] {
        var values: [String: FactValue] = [:]
        for entry in field?.entries() ?? [] { values[entry.key] = entry.value.factValue() }
        return values
    }

    /// One instant for the offer asked for, or instants by offer.
    private func openings(_ field: Field?, _ asked: OfferId?) -> [OfferId: Instant] {
        guard let field else { return [:] }
        guard case .mapping = field.node.content else {
            guard let asked else {
                field.refuse(.wrongType, "no offer is asked for", hint: "write `openedAt: { OFFER: TIME }`")
                return [:]
            }
            return field.caseInstant().map { [asked: $0] } ?? [:]
        }
        var openings: [OfferId: Instant] = [:]
        for entry in field.entries() ?? [] {
            entry.value.requireOffer(entry.key, of: source)
            openings[OfferId(entry.key)] = entry.value.caseInstant()
        }
        return openings
    }
}

extension Field {
    fileprivate func knownOffer(of source: CaseOffers) -> OfferId? {
        guard let text = text() else { return nil }
        requireOffer(text, of: source)
        return OfferId(text)
    }

    fileprivate func requireOffer(_ id: String, of source: CaseOffers) {
        let isKnown = source.offers.contains { $0.has(OfferId(id)) }
        guard !isKnown, let ids = source.ids, !ids.contains(OfferId(id)) else { return }
        refuse(
            .unknownValue, "there is no offer \(quoted(id))",
            hint: Suggestion.hint(for: id, among: ids.map(\.rawValue), noun: "the offers are"))
    }
}

struct CaseIssuedOfferReader {
    private static let keys = [
        "id", "offerId", "productId", "issuedAt", "expiresAt", "countsUntil", "signings", "voidedAt", "released",
    ]

    let source: CaseOffers
    /// The offer the case asks for, which an entry need not name.
    let asked: OfferId?

    /// - Parameter place: its place among the case's grants; the id follows from it where none is stated.
    func readGrant(_ field: Field, place: Int) -> Grant? {
        guard let mapping = field.mapping(["id", "offerId", "grantedAt", "expiresAt", "usedBy"]) else { return nil }
        return Grant(
            id: mapping.optional("id")?.uuid() ?? Grant.id(ofCase: place), offerId: offerId(mapping) ?? "",
            grantedAt: mapping.required("grantedAt")?.caseInstant() ?? .unread,
            expiresAt: mapping.optional("expiresAt")?.caseInstant(), issuedOfferId: mapping.optional("usedBy")?.uuid())
    }

    private func offerId(_ mapping: Mapping) -> OfferId? {
        mapping.has("offerId")
            ? mapping.optional("offerId")?.knownOffer(of: source)
            : asked ?? mapping.required("offerId")?.knownOffer(of: source)
    }

    func read(_ field: Field) -> SuppliedOffer? {
        guard let mapping = field.mapping(Self.keys) else { return nil }
        var offer = SuppliedOffer(
            offerId: offerId(mapping) ?? "", issuedAt: mapping.required("issuedAt")?.caseInstant() ?? .unread)
        offer.id = mapping.optional("id")?.uuid()
        offer.productId = mapping.optional("productId")?.id(.productId)
        offer.expiresAt = mapping.optional("expiresAt")?.caseInstant()
        offer.countsUntil = mapping.optional("countsUntil")?.caseInstant()
        offer.signings = mapping.optional("signings")?.wholeNumber(1...1_000) ?? 1
        offer.voidedAt = mapping.optional("voidedAt")?.caseInstant()
        offer.isReleased = mapping.optional("released")?.boolean() ?? false
        return offer
    }
}

struct CaseExpectationReader {
    private static let stateMembers = StateMember.allCases.map(\.rawValue)

    func read(_ field: Field) -> CaseExpectation? {
        guard let mapping = field.mapping(["outcome", "findings", "state"]) else { return nil }
        let outcome = mapping.optional("outcome")?.choice(Outcome.self)
        let fields = mapping.optional("findings")?.list() ?? []
        let findings = fields.compactMap(finding)
        let state = mapping.optional("state").flatMap(state)
        guard ["outcome", "findings", "state"].contains(where: mapping.has) else {
            return field.refuse(
                .missingKey, "nothing is expected, so the case cannot fail",
                hint: "add an `outcome`, `findings` or a `state`")
        }
        return CaseExpectation(outcome: outcome, findings: findings, state: state)
    }

    private func finding(_ field: Field) -> ExpectedFinding? {
        let keys = ["rule", "path", "verdict", "reason", "turningPoint", "transactionId", "message"]
        guard let mapping = field.mapping(keys) else { return nil }
        let rule = mapping.required("rule")?.choice(RuleId.self)
        let verdict = mapping.required("verdict")?.choice(Verdict.self)
        var finding = ExpectedFinding(rule: rule ?? .catalogStatus, verdict: verdict ?? .satisfied)
        finding.path = mapping.optional("path")?.text()
        finding.reason = mapping.optional("reason")?.choice(ReasonCode.self)
        finding.turningPoint = mapping.expected("turningPoint", turningPoint)
        finding.transactionId = mapping.optional("transactionId")?.id(.transactionId)
        finding.message = mapping.optional("message")?.text()
        return finding
    }

    private func turningPoint(_ field: Field) -> String? {
        guard let mapping = field.mapping(["at", "event"]) else { return nil }
        if mapping.has("event") {
            mapping.key("at")?.refuse(
                .contradiction, "a turning point is an instant or an event", hint: "keep one of the two")
            return mapping.optional("event")?.choice(TurningEvent.self)?.rawValue
        }
        return mapping.required("at")?.caseInstant()?.description
    }

    private func state(_ field: Field) -> ExpectedState? {
        let group = "subscriptionGroupIdentifier"
        guard let mapping = field.mapping(Self.stateMembers + [group]) else { return nil }
        var members: [String: Expected<String>] = [:]
        for name in Self.stateMembers where mapping.has(name) {
            members[name] = mapping.expected(name) { $0.stateText() }
        }
        if !Self.stateMembers.contains(where: mapping.has) {
            field.refuse(
                .missingKey, "nothing is expected of the state",
                hint: "add one of \(Self.stateMembers.map { "`\($0)`" }.joined(separator: ", "))")
        }
        return ExpectedState(
            subscriptionGroupIdentifier: mapping.optional(group)?.id(.groupId),
            members: members)
    }
}

extension Field {
    /// A value as a state shows it: a moment in UTC whatever its offset, everything else as it is written.
    fileprivate func stateText() -> String? {
        guard let value = factValue() else { return nil }
        guard case .text(let text) = value, let instant = Instant(iso8601: text) else { return value.description }
        return instant.description
    }
}
