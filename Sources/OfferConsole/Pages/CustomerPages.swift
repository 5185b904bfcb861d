import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferHTTP
import OfferModel
import OfferWords

/// Search, and one customer's page.
extension ConsoleSite {
    /// How many lines of each list one page has; the timeline goes on.
    private static let entries = 30
    private static let kinds = ["originalTransactionId", "appTransactionId", "appAccountToken", "customerId"]
    static let refreshFields = ["q", "kind", "orderId"]
    static let grantFields = ["q", "kind", "offer", "reason", "until"]

    /// What one page of a customer is asked with.
    struct Question {
        /// What was typed: an identifier of the customer.
        var text: String
        /// Which kind of identifier it is, where it could be several.
        var kind: String?
        /// Of which day the offers are decided; `nil` for now.
        var day: String?
        var asOf: Instant?
        /// The offer whose every finding is shown.
        var offer: String?
        var cursor: TimelineCursor?
    }

    /// `GET /console/customers?q=`.
    @Sendable func customers(_ request: Request, _ visit: Visit) async throws -> Response {
        var query = try QueryParameters(request, known: ["q", "kind", "asOf", "offer", "cursor"])
        var question = Question(text: query.field("q") ?? "", kind: query.field("kind"))
        question.asOf = query.day("asOf")
        question.day = question.asOf.map(TimeText.day)
        question.offer = query.field("offer")
        if let cursor = query.field("cursor") {
            question.cursor = TimelineCursor(text: cursor)
            if question.cursor == nil { query.refuse("cursor", "is not a place in this timeline") }
        }
        try query.finish()
        guard !question.text.isEmpty else {
            return try pages.page("search", "Customers", try await unmatched(visit), visit)
        }
        if question.kind == nil, let page = try await record(question.text, visit) { return .redirect(to: page) }
        do {
            return try await customer(question, visit)
        } catch RequestError.unknownCustomer {
            return try search(RequestError.unknownCustomer, question.text, ["order": true], visit)
        } catch RequestError.ambiguousIdentifier(let text, let kinds) {
            let links = kinds.filter(Self.kinds.contains).map { kind in
                ["kind": kind, "path": PageLink.customer(text, [("kind", kind)])]
            }
            let error = RequestError.ambiguousIdentifier(text, kinds: kinds)
            return try search(error, text, ["kinds": links], visit)
        } catch RequestError.ambiguousCustomer(let detail) {
            let named = try await useCases.customers.namesakes(question.text, caller: visit.caller)
            let links = named.compactMap { customer in
                let names = Self.names(customer).map { ["kind": $0.kind, "text": $0.text] }
                return Self.link(customer)?.merging(["names": names]) { $1 }
            }
            let more: [String: Any] = links.isEmpty ? [:] : ["namesakes": ["customers": links]]
            return try search(RequestError.ambiguousCustomer(detail: detail), question.text, more, visit)
        }
    }

    /// What was asked lately for no known customer: the app may send an identifier of no purchase.
    private func unmatched(_ visit: Visit) async throws -> [String: Any] {
        guard visit.may(.unmatched) else { return [:] }
        let (refusals, problem) = try await answered {
            try await useCases.replay.unmatched(limit: Self.entries, caller: visit.caller)
        }
        var content: [String: Any] = [:]
        content["problem"] = problem.map { PageMembers.of($0) }
        let shown = (refusals?.items ?? []).map { refusal in
            PageMembers.of(refusal).merging(["path": PageLink.decision(refusal.decisionId)]) { $1 }
        }
        if !shown.isEmpty { content["unmatched"] = ["refusals": shown] }
        return content
    }

    /// The page of the issued offer or of the refusal that has this id.
    private func record(_ text: String, _ visit: Visit) async throws -> String? {
        guard let id = LowercaseUUID(text) else { return nil }
        do {
            _ = try await useCases.customers.issuedOffer(id, caller: visit.caller)
            return PageLink.issuedOffer(id)
        } catch RequestError.unknownIssuedOffer {}
        do {
            _ = try await useCases.replay.refusal(id, caller: visit.caller)
            return PageLink.decision(id)
        } catch RequestError.unknownDecision {
            return nil
        } catch RequestError.erasedRecord {
            return PageLink.decision(id)
        }
    }

    /// The search again, with why nothing was found.
    private func search(
        _ error: RequestError, _ text: String, _ more: [String: Any], _ visit: Visit
    ) throws -> Response {
        guard let problem = Problem(error) else { throw error }
        var content = more
        content["q"] = text
        content["problem"] = PageMembers.of(problem.document)
        return try pages.page(
            "search", problem.document.title, content, visit, status: .init(code: problem.document.status))
    }

    /// `POST /console/customers/refresh`: asks Apple, and shows what came of it above the customer.
    @Sendable func refresh(_ form: inout QueryParameters, _ visit: Visit) async throws -> Response {
        let (text, kind) = (form.field("q"), form.field("kind"))
        let order = form.field("orderId", maximum: 64)
        let named = text.flatMap { text in kind.flatMap { Self.identifiers(text, as: $0) } }
        if order == nil, named == nil { form.refuse("q", "is not an identifier of a customer") }
        try form.finish()
        let asked = order.map { RefreshQuestion.order($0) } ?? .customer(named ?? CustomerIdentifiers())
        let report = try await useCases.refresh.refresh(asked, caller: visit.caller)
        let found = report.customers.first.flatMap(Self.name)
        guard let shown = found ?? text.flatMap({ text in kind.map { (text, $0) } }) else {
            throw RequestError.unknownCustomer
        }
        return try await customer(Question(text: shown.0, kind: shown.1), visit, after: report)
    }

    /// `POST /console/grants`: one use of an offer for a customer, although its rules or limits say no.
    @Sendable func grant(_ form: inout QueryParameters, _ visit: Visit) async throws -> Response {
        let customer = form.customer()
        let (offer, until) = (form.field("offer") ?? "", form.day("until"))
        let reason = form.field("reason") ?? ""
        if offer.isEmpty { form.refuse("offer", "is not an offer") }
        if reason.isEmpty { form.refuse("reason", "is not a reason", hint: "say why, without naming a person") }
        try form.finish()
        guard let customer else { throw RequestError.unknownCustomer }
        _ = try await useCases.grants.grant(
            OfferId(offer), to: customer.identifiers, reason: reason, expiresAt: until, caller: visit.caller)
        return .redirect(to: customer.page)
    }

    /// `POST /console/grants/{id}/revoke`.
    @Sendable func revokeGrant(_ form: inout QueryParameters, _ visit: Visit) async throws -> Response {
        let customer = form.customer()
        try form.finish()
        guard let customer else { throw RequestError.unknownCustomer }
        let id = try visit.context.pathId({ LowercaseUUID($0) }, or: RequestError.unknownGrant)
        _ = try await useCases.grants.revoke(id, caller: visit.caller)
        return .redirect(to: customer.page)
    }

    /// The page with the forms of a customer, after one was refused; the search, if there is no such customer.
    @Sendable func customerAgain(_ request: Request, _ visit: Visit) async throws -> Response {
        guard let refused = visit.refused, let text = refused.typed["q"] else { throw RequestError.unknownCustomer }
        // What is no identifier is not looked up.
        let isNone = refused.problem.document.errors?.contains { ["query.q", "query.kind"].contains($0.path) } ?? false
        do {
            guard !isNone, !text.isEmpty else { throw RequestError.unknownCustomer }
            return try await customer(Question(text: text, kind: refused.typed["kind"]), visit)
        } catch RequestError.unknownCustomer {
            let order = refused.typed["orderId"] ?? ""
            var content: [String: Any] = ["q": order.isEmpty ? text : order]
            content["problem"] = PageMembers.of(refused.problem.document)
            if !order.isEmpty { content["order"] = true }
            return try pages.page("search", "Customers", content, visit)
        }
    }

    private func customer(
        _ question: Question, _ visit: Visit, after report: RefreshReport? = nil
    ) async throws -> Response {
        let caller = visit.caller
        let details: CustomerDetails
        if let kind = question.kind {
            guard let named = Self.identifiers(question.text, as: kind) else { throw RequestError.unknownCustomer }
            details = try await useCases.customers.story(
                named, limit: Self.entries, from: question.cursor, caller: caller)
        } else {
            details = try await useCases.customers.story(
                ofAny: question.text, limit: Self.entries, from: question.cursor, caller: caller)
        }
        var content = PageMembers.of(details)
        guard let name = Self.name(question.text, of: details),
            let named = Self.identifiers(name.text, as: name.kind)
        else { throw RequestError.unknownCustomer }
        (content["q"], content["kind"]) = (name.text, name.kind)
        content["issuedOffers"] = details.issuedOffers.prefix(Self.entries).map { offer in
            PageMembers.of(offer).merging(["path": PageLink.issuedOffer(offer.issuedOfferId)]) { $1 }
        }
        content["subscriptions"] = details.subscriptions.map { subscription in
            var members = PageMembers.of(subscription)
            for name in ["hasAccess", "willAutoRenew"] where members[name] == nil { members[name] = "unknown" }
            members["undeterminedBecause"] = subscription.undeterminedBecause.map {
                ReasonCode(rawValue: $0)?.explanation ?? $0
            }
            return members
        }
        let timeline = details.timeline.enumerated().map { PageMembers.of($1).merging(["id": "entry-\($0)"]) { $1 } }
        content["timeline"] = timeline
        content["fullPrice"] = timeline.filter {
            $0["kind"] as? String == TimelineEntry.Kind.boughtAtFullPrice.rawValue
        }
        content["transactions"] = details.transactions.suffix(Self.entries).reversed().map { PageMembers.of($0) }
        content["hasMore"] =
            details.issuedOffers.count > Self.entries || details.transactions.count > Self.entries
            || details.olderTransactions != nil
        content["nextPath"] = details.next.map { PageLink.customer(name.text, [("kind", name.kind), ("cursor", $0)]) }
        content["isLinked"] = details.customers.count > 1
        content["refreshed"] = report.map { PageMembers.of($0) }
        content["grants"] = details.grants?.map { grant in
            var members = PageMembers.of(grant)
            members["usedPath"] = grant.issuedOfferId.map(PageLink.issuedOffer)
            if grant.state == .open, visit.may(.revokeGrant) {
                members["revokePath"] = "\(Self.root)/grants/\(grant.grantId)/revoke"
            }
            return members
        }
        content["mayRefresh"] = visit.may(.refresh)
        let status = try await useCases.status.statuses(of: [named], caller: caller).first
        content["groups"] = status?.groups.map { PageMembers.of($0) }
        content["statusProblem"] = status?.error.map { PageMembers.of($0) }
        content["chart"] = PurchaseChart(details, groups: status?.groups ?? [], now: clock())?.members
        content.merge(try await offers(to: named, question, name, visit)) { $1 }
        return try pages.page("customer", "Customer", content, visit)
    }

    /// The decision on every offer, or why there is none.
    private func offers(
        to named: CustomerIdentifiers, _ question: Question, _ name: (text: String, kind: String), _ visit: Visit
    ) async throws -> [String: Any] {
        let caller = visit.caller
        var content: [String: Any] = [:]
        (content["day"], content["asOf"]) = (question.day, question.asOf.map(PageMembers.moment))
        var inquiry = Inquiry()
        (inquiry.customer, inquiry.asOf) = (named, question.asOf)
        var answer: InquiryAnswer
        do {
            // Of all, because each is then decided for its first product, as a page has no product to ask for.
            answer = try await useCases.decisions.decide(inquiry, caller: caller)
            if let offer = question.offer.map({ OfferId($0) }) {
                answer.decisions.removeAll { $0.offer.id != offer }
                if answer.decisions.isEmpty { throw RequestError.unknownOffer(offer) }
            }
        } catch {
            guard error is RequestError, let problem = Problem(error) else { throw error }
            content["offersProblem"] = PageMembers.of(problem.document)
            return content
        }
        let body = DecisionsBody(answer, role: caller.role, locale: nil)
        let spoken = Explanation.languages.map { ($0, DecisionsBody(answer, role: caller.role, locale: $0).decisions) }
        let more = [("kind", name.kind)] + (question.day.map { [("asOf", $0)] } ?? [])
        content["decisions"] = body.decisions.enumerated().map { place, decision in
            var members = PageMembers.ofDecision(decision)
            let answers = spoken.compactMap { language, decisions in
                decisions[place].explanation.map { ["language": language, "text": $0.customerAnswer] }
            }
            // English comes first.
            members["answer"] = answers.first
            if answers.count > 1 { members["translated"] = ["answers": Array(answers.dropFirst())] }
            if question.offer == nil {
                members["findings"] = nil
                members["path"] = PageLink.customer(name.text, more + [("offer", decision.offerId.rawValue)])
            }
            return members
        }
        if visit.may(.grant), question.asOf == nil {
            let refused = body.decisions.filter { $0.outcome == "ineligible" }.map(\.offerId.rawValue)
            let typed = visit.refused?.typed["offer"]
            if !refused.isEmpty {
                content["grantable"] = ["offers": refused.map { ["id": $0, "isChosen": $0 == typed] as [String: Any] }]
            }
        }
        content["allPath"] = question.offer.map { _ in PageLink.customer(name.text, more) }
        content["best"] = body.best?.rawValue
        content["bestReason"] = body.bestReason
        content["dataAsOf"] = body.dataAsOf.map(PageMembers.moment)
        return content
    }

    fileprivate static func identifiers(_ text: String, as kind: String) -> CustomerIdentifiers? {
        switch kind {
        case "originalTransactionId": CustomerIdentifiers(originalTransactionId: TransactionId(text))
        case "appTransactionId": CustomerIdentifiers(appTransactionId: AppTransactionId(text))
        case "appAccountToken": AppAccountToken(text).map { CustomerIdentifiers(appAccountToken: $0) }
        case "customerId": CustomerIdentifiers(customerId: CustomerId(text))
        default: nil
        }
    }

    /// To the page of a customer.
    static func link(_ customer: KnownIdentifiers) -> [String: Any]? {
        name(customer).map { ["text": $0.text, "path": PageLink.customer($0.text, [("kind", $0.kind)])] }
    }

    /// By what a text names the customers that were found; by another of their identifiers if it is a transaction's.
    private static func name(_ text: String, of details: CustomerDetails) -> (text: String, kind: String)? {
        let all = details.customers.flatMap(names)
        return all.first { $0.text == text || $0.text == text.lowercased() } ?? all.first
    }

    private static func name(_ customer: KnownIdentifiers) -> (text: String, kind: String)? { names(customer).first }

    /// Apple's identifiers first: they name one customer.
    private static func names(_ customer: KnownIdentifiers) -> [(text: String, kind: String)] {
        customer.originalTransactionIds.map { ($0.rawValue, "originalTransactionId") }
            + [customer.appTransactionId].compactMap(\.self).map { ($0.rawValue, "appTransactionId") }
            + customer.appAccountTokens.map { ($0.description, "appAccountToken") }
            + customer.customerIds.map { ($0.rawValue, "customerId") }
    }
}

extension QueryParameters {
    /// The customer whose page has the form, which refuses anything else.
    fileprivate mutating func customer() -> (identifiers: CustomerIdentifiers, page: String)? {
        let (text, kind) = (field("q") ?? "", field("kind") ?? "")
        guard let identifiers = ConsoleSite.identifiers(text, as: kind) else {
            refuse("q", "is not an identifier of a customer")
            return nil
        }
        return (identifiers, PageLink.customer(text, [("kind", kind)]))
    }
}

extension PageMembers {
    /// A decision, with which of the three answers it is.
    static func ofDecision(_ decision: DecisionBody) -> [String: Any] {
        of(decision).merging([decision.outcome: true, "findings": findings(decision.findings)]) { $1 }
    }

    /// Findings in the order and the words of `offerctl`.
    static func findings(_ findings: [FindingBody]) -> [[String: Any]] {
        FindingWords.inOrder(findings).map { finding($0, isRoot: true) }
    }

    private static func finding(_ finding: FindingBody, isRoot: Bool) -> [String: Any] {
        var members = of(finding)
        members["word"] = FindingWords.verdict(finding.verdict)
        members["message"] = GroupText.sentence(finding, isRoot: isRoot) ?? finding.message
        members["change"] = FindingWords.change(finding, at: \.description)
        members["evidence"] = finding.evidence?.map(EvidenceText.line)
        members["children"] = finding.children?.map { self.finding($0, isRoot: false) }
        return members
    }
}
