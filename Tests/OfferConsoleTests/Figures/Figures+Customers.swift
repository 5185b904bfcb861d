import Foundation
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferConsole

extension Figures {
    private static let languages = ["en", "de", "es", "fr", "ja", "pt"]
    private static let outcomes = ["eligible": "yes", "ineligible": "no", "undetermined": "undetermined"]
    /// The verdicts in the order of a page, with their words.
    private static let verdicts = [
        ("violated", "does not hold"), ("undetermined", "cannot be decided"), ("lifted", "is lifted by a grant"),
        ("satisfied", "holds"), ("notApplicable", "does not apply"),
    ]
    private static let labels = [
        "productId": "Product", "offerIdentifier": "Apple’s offer identifier", "keyId": "Key", "nonce": "Nonce",
        "timestamp": "Timestamp", "appAccountToken": "App account token", "signature": "Signature", "jws": "JWS",
    ]

    /// `bought at full price` of `boughtAtFullPrice`.
    private static func words(_ name: String) -> String {
        name.flatMap { $0.isUppercase ? " \($0.lowercased())" : "\($0)" }.map(String.init).joined()
    }

    func customer(_ kind: String, _ value: String, asOf day: String) async throws {
        let named = "\(kind)=\(ConsoleFixture.encoded(value))"
        let path = "/console/customers?q=\(ConsoleFixture.encoded(value))&kind=\(kind)&asOf=\(day)"
        let what = "\(kind) `\(value)` as of `\(day)`"
        guard let story = try await ask("GET", "/v1/customers?\(named)&limit=30") else {
            _ = try await page(path, status: 404)
            return
        }
        let page = try await page(path)
        var inquiry: [String: Any] = ["customer": [kind: value]]
        if !day.isEmpty { inquiry["asOf"] = Int(Moment("\(day)T00:00:00Z")?.milliseconds ?? 0) }
        guard let decided = try await ask("POST", "/v1/decisions", inquiry) else {
            expect(page.section("offers")?.all("div", ["role": "alert"]).isEmpty, false, "\(what), no decision")
            return
        }

        let coverage = story["coverage"]
        let data = [
            "History: \(coverage.text("level") ?? "")\(coverage.at("asOf").map { ", as of \($0)" } ?? "").",
            decided.at("dataAsOf").map { "Apple signed the newest of it \($0)." },
        ].compactMap(\.self).joined(separator: " ")
        expect(page.section("data")?.all("p").first?.words, data, "\(what), data")
        expectSubscriptions(page, story, what)
        expectLists(page, story, what)
        try await expectTimeline(page, story, named, what)
        try await expectOffers(page, decided, inquiry, what)
        guard let offer = decided.list("decisions").first else { return }
        let every = try await self.page("\(path)&offer=\(offer.text("offerId") ?? "")")
        expectFindings(try #require(every.section("offers")), offer.list("findings"), what)
    }

    private func expectSubscriptions(_ page: PageElement, _ story: Answer, _ what: String) {
        let cards = page.section("subscriptions")?.all("div", ["class": "card"]) ?? []
        let subscriptions = story.list("subscriptions")
        expect(cards.count, subscriptions.count, "\(what), subscriptions")
        for (card, subscription) in zip(cards, subscriptions) {
            func word(_ name: String) -> String { subscription.flag(name).map { $0 ? "yes" : "no" } ?? "unknown" }
            var fields = ["Access": word("hasAccess"), "Renews": word("willAutoRenew")]
            // Why it is undetermined is a sentence there.
            let state = subscription.has("undeterminedBecause") ? card.fields["State"] : nil
            expect(state?.contains(/^undetermined: [a-zA-Z]+ [a-zA-Z' ]+$/), state.map { _ in true }, "\(what), state")
            fields["State"] = state ?? Self.words(subscription.text("state") ?? "")
            fields["Access ends"] = subscription.at("expiresDate")
            fields["Days left"] = subscription.number("daysLeft").map(String.init)
            fields["Cancel by"] = subscription.at("lastMomentToCancel")
            expect(card.fields, fields, "\(what), subscription")
            let title = [subscription.text("productId"), "group", subscription.text("subscriptionGroupIdentifier")]
            expect(card.all("h3").first?.words, title.compactMap(\.self).joined(separator: " "), what)
        }
    }

    private func expectLists(_ page: PageElement, _ story: Answer, _ what: String) {
        func lines(_ section: String) -> [String] { page.section(section)?.all("li").map(\.words) ?? [] }
        let transactions = story.list("transactions")
        let bought = transactions.suffix(30).reversed().map { transaction in
            [
                transaction.at("purchaseDate"), transaction.text("productId"), transaction.text("price"),
                transaction.at("expiresDate").map { "until \($0)" }, transaction.text("offerIdentifier"),
                transaction.at("revocationDate").map { "revoked \($0)" }, transaction.text("transactionId"),
                transaction.text("provenance"),
            ].compactMap(\.self).joined(separator: " ")
        }
        expect(lines("transactions"), bought, "\(what), transactions")
        let issued = story.list("issuedOffers").prefix(30).map { offer in
            [
                offer.text("offerId"), offer.text("state"), offer.at("issuedAt"),
                offer.at("expiresAt").map { "until \($0)" },
                offer.text("voidReason").map { "voided: \($0)" },
            ].compactMap(\.self).joined(separator: " ")
        }
        expect(lines("issued"), issued, "\(what), issued offers")
        let identifiers = story.list("customers").flatMap { $0.list("identifiers") }.map { identifier in
            [
                "\(identifier.text("kind") ?? "") \(identifier.text("value") ?? "") \(identifier.text("provenance") ?? "")",
                identifier.at("since").map { "since \($0)" },
                identifier.text("transactionId").map { "transaction \($0)" },
                identifier.text("requestId").map { "request \($0)" },
            ].compactMap(\.self).joined(separator: ", ")
        }
        expect(lines("identifiers"), identifiers, "\(what), identifiers")
        let attributes = story["attributes"].members.mapValues { value in
            (value as? String) ?? (value as? Bool).map { "\($0)" } ?? (value as? Int).map { "\($0)" } ?? "?"
        }
        expect(page.section("identifiers")?.fields, attributes, "\(what), attributes")

        // A period that was refunded has two bars.
        func day(_ answer: Answer, _ name: String) -> String { answer.day(name) ?? "" }
        let bars = transactions.filter { $0.has("expiresDate") }.flatMap { period -> [String] in
            let kind =
                period.number("offerType").map { $0 == 1 ? "trial or introductory price" : "with another offer" }
                ?? "at full price"
            let (from, to) = (period.number("purchaseDate") ?? 0, period.number("expiresDate") ?? 0)
            let revoked = period.number("revocationDate").map { max(from, min($0, to)) }
            let middle = revoked.map { Answer(["at": $0]) } ?? Answer(["at": to])
            let first = "\(kind), \(day(period, "purchaseDate")) to \(day(middle, "at"))"
            let second = "refunded or revoked, \(day(middle, "at")) to \(day(period, "expiresDate"))"
            let end = revoked ?? to
            return (from < end ? [first] : []) + (revoked.map { $0 < to } == true ? [second] : [])
        }
        let kinds = ["introductory", "offer", "paid", "revoked"]
        let drawn = page.all("rect").filter { kinds.contains($0.attributes["class"] ?? "") && !$0.children.isEmpty }
        expect(drawn.map(\.words).sorted(), bars.sorted(), "\(what), bars")
    }

    /// All pages of it, each of which leads to the next.
    private func expectTimeline(_ page: PageElement, _ story: Answer, _ named: String, _ what: String) async throws {
        var (page, story) = (page, story)
        for number in 1...20 {
            let entries = story.list("timeline").map { entry in
                let message = (entry.text("message") ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
                return "\(entry.at("at") ?? "") \(Self.words(entry.text("kind") ?? "")) \(message)"
            }
            expect(page.section("timeline")?.all("li").map(\.words), entries, "\(what), timeline, page \(number)")
            let link = page.section("timeline")?.all("a", ["rel": "next"]).first?.attributes["href"]
            expect(link == nil, !story.has("next"), "\(what), timeline, the end of page \(number)")
            guard let link, let next = story.text("next") else { return }
            page = try await self.page(link)
            let cursor = ConsoleFixture.encoded(next)
            story = try #require(try await ask("GET", "/v1/customers?\(named)&limit=30&cursor=\(cursor)"))
        }
    }

    private func expectOffers(
        _ page: PageElement, _ decided: Answer, _ inquiry: [String: Any], _ what: String
    ) async throws {
        let cards = page.section("offers")?.all("article") ?? []
        let decisions = decided.list("decisions")
        expect(cards.count, decisions.count, "\(what), offers")
        for (card, decision) in zip(cards, decisions) {
            let outcome = Self.outcomes[decision.text("outcome") ?? ""] ?? "?"
            let title = "\(outcome) \(decision.text("offerId") ?? "")"
            expect(card.all("h3").first?.words, title, what)
            let lines = card.all("p").map(\.words)
            for name in ["sentence", "change"] {
                guard let words = decision["explanation"].text(name) else { continue }
                expect(lines.contains(Self.plain(words)), true, "\(what), \(title): \(words)")
            }
        }
        let best = decided.text("best").map { "Best offer: \($0) (\(decided.text("bestReason") ?? ""))" }
        let shown = page.section("offers")?.all("p").map(\.words).first { $0.hasPrefix("Best offer: ") }
        expect(shown, best, "\(what), best offer")
        for language in Self.languages {
            let asked = inquiry.merging(["request": ["locale": language]]) { $1 }
            let answer = try #require(try await ask("POST", "/v1/decisions", asked))
            let answers = answer.list("decisions").map { $0["explanation"].text("customerAnswer") ?? "" }
            let shown = cards.map { card in
                let spans = card.all("span", language == "en" ? ["data-copy": ""] : ["lang": language])
                return spans.first?.words ?? ""
            }
            expect(shown, answers, "\(what), \(language)")
        }
    }

    /// The findings, what is in the way first, those of a condition's parts below it in their order.
    private func expectFindings(_ page: PageElement, _ findings: [Answer], _ what: String) {
        func flat(_ findings: [Answer]) -> [Answer] { findings.flatMap { [$0] + flat($0.list("children")) } }
        let items = page.all("li").filter { !$0.all("code").isEmpty }
        let answered = flat(Self.verdicts.flatMap { verdict, _ in findings.filter { $0.text("verdict") == verdict } })
        expect(items.count, answered.count, "\(what), findings")
        for (item, finding) in zip(items, answered) {
            let message = (finding.text("message") ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let word = Self.verdicts.first { $0.0 == finding.text("verdict") }?.1 ?? "?"
            // The message of a group of a condition would repeat its parts'.
            let isGroup = finding.list("children").first?.text("path").map { !$0.hasPrefix("limits[") } ?? false
            let words = isGroup ? word : "\(word) \(message) \(finding.text("rule") ?? "")"
            expect(item.words.hasPrefix(Self.plain(words)), true, "\(what): `\(item.words)` begins with `\(words)`")
            for evidence in finding.list("evidence") {
                guard let transaction = evidence.text("transactionId") else { continue }
                expect(item.words.contains("transaction \(transaction)"), true, "\(what): \(transaction)")
            }
        }
    }

    // MARK: Records

    func issuedOffer(_ id: String) async throws {
        let page = try await page("/console/issued-offers/\(id)")
        let offer = try #require(try await ask("GET", "/v1/issued-offers/\(id)"))
        var fields = [
            "Issued offer": id, "Decision": "\(offer.text("decisionId") ?? "") Why",
            "Product": offer.text("productId") ?? "",
            "Type": "\(offer.text("offerType") ?? ""), \(offer.text("delivery") ?? "")",
            "Issued": offer.at("issuedAt") ?? "", "Expires": offer.at("expiresAt") ?? "",
            "Catalog revision": "\(offer.number("catalogRevision") ?? -1)",
        ]
        fields["Apple’s offer"] = offer.text("offerIdentifier")
        fields["Signing key"] = offer.text("keyId")
        fields["Voided"] = offer.at("voidedAt")
        fields["Reason"] = offer.text("voidReason")
        if offer.has("voidedAt") {
            let end = (offer.number("expiresAt") ?? 0) + 3_600_000
            let isCounting = offer.text("state") == "voided" && console.clock.now.milliseconds < Int64(end)
            let counts = isCounting ? ": it counts until @\(end)" : ""
            fields["Released"] = offer.flag("released") == true ? "yes" : "no\(counts)"
        }
        fields["Customer"] = page.fields["Customer"]
        expect(page.fields, fields, id)
        let title = "Issued offer \(offer.text("offerId") ?? "") \(offer.text("state") ?? "")"
        expect(page.all("h1").first?.words, title, id)

        let section = try #require(page.section("replay"))
        let replay = try #require(try await ask("POST", "/v1/issued-offers/\(id)/replay", [:]))
        let recorded = replay["recorded"]
        let decided =
            "Decided \(replay.at("decidedAt") ?? ""): \(recorded.text("outcome") ?? ""), "
            + "catalog revision \(recorded.number("catalogRevision") ?? -1)."
        let lines = section.all("p").map(\.words)
        expect(lines.first, decided, id)
        expect(lines.filter { $0.hasPrefix("Differs: ") }.count, replay.list("differences").count, "\(id), differences")
        expectFindings(section, recorded.list("findings"), id)
    }

    func decision(_ id: String) async throws {
        let page = try await page("/console/decisions/\(id)")
        let answer = try #require(try await ask("GET", "/v1/decisions/\(id)"))
        let decided =
            "Decided \(answer.at("decidedAt") ?? "") about \(answer.text("productId") ?? ""), "
            + "catalog revision \(answer.number("catalogRevision") ?? -1)."
        expect(page.all("p").map(\.words).contains(decided), true, "\(id): \(decided)")
        let decision = answer["decision"]
        let title = "\(Self.outcomes[decision.text("outcome") ?? ""] ?? "?") \(decision.text("offerId") ?? "")"
        expect(page.all("h3").first?.words, title, id)
        expectFindings(page, decision.list("findings"), id)
    }

    /// What the app passed, right and wrong, is judged alike.
    func signature(_ issued: [String]) async throws {
        var passed: [[String: String]] = [
            ["format": "v1", "signature": "AAAA"], ["format": "v2", "signature": "a.b.c"],
        ]
        for id in issued.suffix(2) {
            let offer = try #require(try await ask("GET", "/v1/issued-offers/\(id)"))
            guard let jws = offer["signatures"]["v2"].text("jws") else { continue }
            passed.append(["format": "v2", "signature": jws])
            passed.append(["format": "v2", "signature": jws, "productId": "yearly", "offerIdentifier": "other50"])
        }
        let token = try #require(try await console.get("/console/signatures", session).formToken)
        for fields in passed {
            var body: [String: Any] = fields
            body["signature"] = nil
            body[fields["format"] == "v1" ? "signature" : "jws"] = fields["signature"]
            let form = [("formToken", token)] + fields.map { ($0.key, $0.value) }
            let sent = try await console.post("/console/signatures", form, session)
            let page = try PageReader.read(sent.body)
            guard let answer = try await ask("POST", "/v1/signature-checks", body) else {
                expect((400..<500).contains(sent.status), true, "\(fields) is refused")
                continue
            }
            let notice = try #require(page.all("div", ["role": "status"]).first, "\(place): \(fields)")
            let causes = answer.list("causes").map { cause in
                ["message", "certainty", "code", "fix"].map { cause.text($0) ?? "" }.joined(separator: " ")
            }
            let missing = (answer.members["missing"] as? [String] ?? []).map {
                "Needed to decide: \(Self.labels[$0] ?? $0)"
            }
            let lines = notice.all("p").map { $0.words.replacing(", ", with: " ") }
            let answered = [answer.text("verdict") ?? ""] + causes + missing
            expect(lines, answered.map { Self.plain($0).replacing(", ", with: " ") }, "\(fields)")
        }
    }

    // MARK: The catalog and the server

    func catalog(_ revision: Int) async throws {
        let page = try await page("/console/catalog")
        let answer = try await console.get("/v1/catalog", nil, [("Authorization", "Bearer \(token)")])
        let shown = page.all(role == .support ? "pre" : "textarea").first?.written
        // The first line break of a text area is not part of it.
        expect(role == .support ? shown : shown.map { String($0.dropFirst()) }, answer.text, "the catalog")
        expect(page.all("h1").first?.words, "Catalog revision \(revision)", "the catalog's revision")
        let list = try await ask("GET", "/v1/catalog/revisions?limit=20")
        expect(list == nil, role == .support, "who may see revisions")
        func headline(_ applied: Answer) -> String {
            let actor = [applied.text("actor"), applied.text("actorLabel").map { "(\($0))" }].compactMap(\.self)
            return "revision \(applied.number("revision") ?? -1), applied \(applied.shown("createdAt") ?? "") "
                + "by key \(actor.joined(separator: " "))" + (applied.text("message").map { ": \($0)" } ?? "")
        }
        expect(
            page.all("section", ["id": "revisions"]).first?.all("li").map(\.words),
            list.map { $0.list("items").map(headline) }, "revisions")
        guard list != nil else { return }
        for number in Set([1, revision]) {
            let page = try await self.page("/console/catalog/revisions/\(number)")
            let applied = try #require(try await ask("GET", "/v1/catalog/revisions/\(number)"))
            expect(page.all("p").map(\.words).contains(headline(applied)), true, headline(applied))
            expect(page.all("pre").first?.written, applied.text("document"), "the text of revision \(number)")
        }
    }

    /// The API has no such call: keys are compared with those that the use case lists, pauses with those of the offers.
    func operations() async throws {
        let page = try await page("/console/operations")
        func lines(_ section: String) throws -> [String] { try #require(page.section(section)).all("li").map(\.words) }
        let keys = try await console.useCases.apiKeys.list().filter { $0.scope == ConsoleFixture.scope }
        let shown = try lines("api-keys")
        expect(shown.count, keys.count, "API keys")
        for key in keys {
            let line = shown.first { $0.hasPrefix("\(key.id) \(key.role.rawValue) ") }
            expect(line?.contains("does not expire"), key.expiresAt == nil, "the end of \(key.id)")
        }
        let offers = try #require(try await ask("GET", "/v1/offers?limit=200")).list("items")
        let pauses = try lines("pauses")
        for offer in offers where offer.has("pause") {
            let (pause, id) = (offer["pause"], offer.text("offerId") ?? "")
            let what = pause.text("covers") == "everyOffer" ? "every offer" : id
            let line = pauses.first { $0.hasPrefix("\(what), since \(pause.at("since") ?? "") (") }
            expect(line != nil, true, "the pause of \(what) in \(pauses)")
            expect(
                line?.contains("until \(pause.at("until") ?? "@")"), pause.has("until"), "the end of \(what)'s pause")
        }
        if !offers.contains(where: { $0.has("pause") }) { expect(pauses, [], "no pause") }
    }
}
