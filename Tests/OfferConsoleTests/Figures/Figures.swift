import Foundation
import OfferModel
import Testing

@testable import OfferConsole

/// A key of the API and a session of the same key at the console, whose answers are compared.
struct Figures: Sendable {
    let console: ConsoleFixture
    let token: String
    let session: String
    let role: Role
    /// Where a difference was found, to be found again.
    let place: String

    init(_ console: ConsoleFixture, _ role: Role, _ place: String) async throws {
        (self.console, self.role, self.place) = (console, role, place)
        token = try await console.token(role)
        session = try await console.signIn(token)
    }

    /// What the API answers; `nil` where it refuses.
    func ask(_ method: String, _ target: String, _ body: [String: Any]? = nil) async throws -> Answer? {
        let data = try body.map { Array(try JSONSerialization.data(withJSONObject: $0)) }
        let headers = [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")]
        let answer = try await Browser.send(port: console.port, method, target, headers, bytes: data)
        guard answer.status < 300 else { return nil }
        return Answer(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any] ?? [:])
    }

    /// A page, whose moments are all written as they are meant.
    func page(_ target: String, status: Int = 200) async throws -> PageElement {
        let page = try await console.get(target, session)
        #expect(page.status == status, "\(place), \(target)")
        let read = try PageReader.read(page.body)
        #expect(read.wrongMoments == [], "\(place), \(target)")
        return read
    }

    func expect<Value: Equatable>(
        _ shown: Value, _ answered: Value, _ what: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard shown != answered else { return }
        let (shown, answered) = (Self.plain("\(shown)"), Self.plain("\(answered)"))
        #expect(shown == answered, "\(place): \(what)", sourceLocation: sourceLocation)
    }

    /// Without the signs around what a sentence quotes, which a page shows as code, and with its instants as a page's.
    static func plain(_ text: String) -> String {
        text.replacing("`", with: "").replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/) { match in
            Moment(String(match.output.0)).map { "@\($0.milliseconds)" } ?? String(match.output.0)
        }
    }

    // MARK: Offers

    func board() async throws {
        let page = try await page("/console/offers")
        let offers = try #require(try await ask("GET", "/v1/offers?limit=200")).list("items")
        try #require(offers.count == RandomShop.offers.count)
        var drawn: [String] = []
        let order = ["paused", "exhausted", "running", "scheduled", "draft", "ended"]
        let ordered = order.flatMap { standing in offers.filter { $0.text("standing") == standing } }
        try #require(ordered.count == offers.count)
        for (standing, group) in Dictionary(grouping: offers, by: { $0.text("standing") ?? "?" }) {
            let section = try #require(page.section(standing), "\(place): \(standing)")
            expect(section.all("h2").first?.words, "\(standing) \(group.count)", "number of \(standing)")
            expect(section.all("article").count, group.count, "cards of \(standing)")
            for offer in group {
                let title = "\(offer.text("offerId") ?? "") \(offer.text("type") ?? "")"
                let card = section.all("article").first { $0.all("h3").first?.words == title }
                let lines = try #require(card, "\(place): \(title)").all("p").map(\.words)
                expect(lines.first { $0.hasPrefix("Left: ") }, Self.left(offer).map { "Left: \($0)" }, title)
                expect(lines.first { $0.hasPrefix("Paused ") }, Self.pause(offer).map { "Paused \($0)" }, title)
            }
        }
        for offer in ordered where !["ended", "draft"].contains(offer.text("standing")) {
            for limit in offer.list("limits") {
                let id = offer.text("offerId") ?? ""
                if let used = limit.number("used"), let count = limit.number("count") {
                    let amounts = "\(Answer.grouped("\(used)")) of \(Answer.grouped("\(count)")) uses"
                    drawn.append("\(id): \(amounts)\(Answer.share(used, of: count))")
                } else if let spent = limit.text("spent"), let spend = limit.text("spend") {
                    let (used, all) = (Answer.rounded(spent), Answer.rounded(spend))
                    let amounts = "\(Answer.grouped(used)) of \(Answer.grouped(all)) \(limit.text("currency") ?? "")"
                    let share = Answer.share(Answer.milliunits(used), of: Answer.milliunits(all))
                    drawn.append("\(id): \(amounts)\(share)")
                }
            }
        }
        expect(page.all("desc").first?.words, drawn.isEmpty ? nil : drawn.joined(separator: "; "), "the bars")
    }

    private static func left(_ offer: Answer) -> String? {
        let parts = offer.list("limits").compactMap { limit -> String? in
            if let left = limit.number("remaining"), let count = limit.number("count") {
                return "\(Answer.grouped("\(left)")) of \(Answer.grouped("\(count)"))"
            }
            guard let left = limit.text("unspent"), let spend = limit.text("spend") else { return nil }
            return "\(Answer.amount(left)) of \(Answer.amount(spend)) \(limit.text("currency") ?? "")"
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func pause(_ offer: Answer) -> String? {
        guard offer.has("pause") else { return nil }
        let pause = offer["pause"]
        let covers = ["everyOffer": "with every offer, ", "limitedOffers": "after a restore, "]
        let actor = [pause.text("actor"), pause.text("actorLabel").map { "(\($0))" }].compactMap(\.self)
        return "\(covers[pause.text("covers") ?? ""] ?? "")until \(pause.shown("until") ?? "it is resumed"), "
            + "since \(pause.shown("since") ?? "") by \(actor.joined(separator: " "))"
            + (pause.text("reason").map { ": \($0)" } ?? "")
    }

    func offer(_ id: String) async throws {
        let page = try await page("/console/offers/\(id)")
        let offers = try #require(try await ask("GET", "/v1/offers?limit=200")).list("items")
        let offer = try #require(offers.first { $0.text("offerId") == id })
        let (fields, used) = (page.fields, offer["used"])
        expect(fields["status"], nil, "\(id): the standing says the status")
        expect(fields["standing"] == nil, offer.has("pause"), "\(id): a pause says the standing")
        expect(fields["priority"], offer.number("priority").map(String.init), "\(id) priority")
        expect(fields["starts"], offer.shown("starts"), "\(id) starts")
        expect(fields["ends"], offer.shown("ends"), "\(id) ends")
        expect(fields["left"], Self.left(offer), "\(id) left")
        expect(fields["paused"], Self.pause(offer), "\(id) paused")
        let uses = used.number("uses") ?? 0
        var parts = ["issued", "redeemed"].compactMap { name in used.number(name).map { "\($0) \(name)" } }
        if let elsewhere = used.number("notIssuedHere"), elsewhere > 0 {
            parts.append("\(elsewhere) of them known from purchases alone and not issued here")
        }
        let spent = used.list("spent").map { "\(Answer.amount($0.text("amount") ?? "")) \($0.text("currency") ?? "")" }
        let kinds = parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
        let words = ["\(uses) use\(uses == 1 ? "" : "s")\(kinds)"] + spent
        expect(fields["used"], offer.has("used") ? words.joined(separator: ", ") : nil, "\(id) used")
    }

    func results(
        _ id: String, _ by: String, _ zone: String, from: String, to: String, products: Bool = false
    ) async throws {
        let name = "\(id) by \(by) in `\(zone)` from `\(from)` to `\(to)`\(products ? " with products" : "")"
        let products = products ? "&products=true" : ""
        let query = "by=\(by)&timeZone=\(ConsoleFixture.encoded(zone))&from=\(from)&to=\(to)\(products)"
        let page = try await page("/console/offers/\(id)/results?\(query)")
        let moments = try [("from", from), ("to", to)].filter { !$0.1.isEmpty }.map { name, day in
            "&\(name)=\(try Self.start(ofDay: day, in: zone.isEmpty ? "UTC" : zone))"
        }.joined()
        let asked = "by=\(by)\(zone.isEmpty ? "" : "&timeZone=\(ConsoleFixture.encoded(zone))")\(moments)\(products)"
        let series = try #require(try await ask("GET", "/v1/reports/series?offer=\(id)&\(asked)"), "\(place): \(name)")
        let buckets = series.list("buckets")
        let counts = ["requests", "eligible", "issued", "redeemed"]
        var rows = buckets.map { bucket in
            [bucket.text("date") ?? ""] + counts.map { "\(bucket.number($0) ?? -1)" }
                + [bucket.money("spend"), bucket.money("revenue")]
        }
        rows.append(
            ["total"] + counts.map { count in "\(buckets.map { $0.number(count) ?? -1 }.reduce(0, +))" }
                + ["spend", "revenue"].map { name in Answer.money(buckets.flatMap { $0.list(name) }) })
        expect(page.rows("By \(by) in \(zone.isEmpty ? "UTC" : zone)"), rows, name)

        var drawn = [
            buckets.map { bucket in
                "\(bucket.text("date") ?? ""): "
                    + counts.map { "\($0) \(Answer.grouped("\(bucket.number($0) ?? -1)"))" }.joined(separator: ", ")
            }.joined(separator: "; ")
        ]
        let money = buckets.flatMap { $0.list("spend") + $0.list("revenue") }.compactMap { $0.text("currency") }
        for currency in Set(money).sorted() {
            drawn.append(
                buckets.map { bucket in
                    let amounts = ["spend", "revenue"].map { name in
                        let amount = bucket.list(name).first { $0.text("currency") == currency }?.text("amount")
                        return "\(name) \(amount.map(Answer.amount) ?? "0")"
                    }
                    return "\(bucket.text("date") ?? ""): \(amounts.joined(separator: ", "))"
                }.joined(separator: "; "))
        }
        let section = try #require(page.section("series"))
        // Each is drawn for a telephone and for a desk.
        expect(section.all("desc").map(\.words), drawn.prefix(3).flatMap { [$0, $0] }, "\(name), drawn")

        var refusals: [String: Int] = [:]
        for refused in buckets.flatMap({ $0.list("refused") }) {
            refusals[refused.text("rule") ?? "", default: 0] += refused.number("count") ?? -1
        }
        let sorted = refusals.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
        let refused = sorted.map { [$0.key, "\($0.value)"] }
        expect(section.rows("Refusals"), refused.isEmpty ? nil : refused, "\(name), refusals")
        expectProducts(section, buckets, name)
        try await funnel(page, id, moments, name)
    }

    /// As Foundation's calendar has it, in milliseconds.
    private static func start(ofDay day: String, in zone: String) throws -> Int64 {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        let parts = day.split(separator: "-").compactMap { Int($0) }
        try #require(parts.count == 3)
        let noon = DateComponents(year: parts[0], month: parts[1], day: parts[2], hour: 12)
        let start = calendar.startOfDay(for: try #require(calendar.date(from: noon)))
        return Int64(start.timeIntervalSince1970 * 1_000)
    }

    private func expectProducts(_ section: PageElement, _ buckets: [Answer], _ name: String) {
        for (caption, member, counts) in [
            ("Trials", "trials", ["ended", "converted", "undecided"]),
            ("Other periods", "churn", ["due", "lost", "undecided"]),
        ] {
            let ended = Dictionary(grouping: buckets.flatMap { $0.list(member) }) { $0.text("productId") ?? "" }
            let rows = ended.sorted { $0.key < $1.key }.map { product, numbers in
                [product] + counts.map { count in "\(numbers.map { $0.number(count) ?? -1 }.reduce(0, +))" }
            }
            expect(section.rows(caption), rows.isEmpty ? nil : rows, "\(name), \(caption)")
        }
    }

    private func funnel(_ page: PageElement, _ id: String, _ moments: String, _ name: String) async throws {
        let report = try await ask("GET", "/v1/reports/funnel?offerId=\(id)\(moments)")
        expect(report == nil, role == .support, "\(name), who may see the funnel")
        guard let funnel = report?.list("offers").first else {
            expect(page.section("funnel") == nil, true, "\(name), funnel")
            return
        }
        let section = try #require(page.section("funnel"))
        let stages = [
            ("evaluated", "evaluated"), ("eligible", "eligible"), ("issued", "issued"), ("redeemed", "redeemed"),
            ("renewed at full price", "renewedAtFullPrice"), ("still active", "stillActive"),
        ].map { ($0, funnel["stages"].number($1) ?? -1) }
        if stages[0].1 > 0 {
            expect(
                section.rows("Stages")?.map { Array($0.prefix(2)) }, stages.map { [$0, "\($1)"] }, "\(name), stages")
            let before = [nil] + stages.map(\.1)
            let words = zip(stages, before).map { stage, before in
                "\(stage.0): \(Answer.grouped("\(stage.1)"))" + (before.map { Answer.share(stage.1, of: $0) } ?? "")
            }
            expect(section.all("desc").first?.words, words.joined(separator: "; "), "\(name), stages drawn")
        }
        func counted(_ caption: String, _ member: String, _ names: [(String, String)]) {
            let rows = names.compactMap { shown, measure -> [String]? in
                let count = funnel[member].number(measure) ?? -1
                return count > 0 ? [shown, "\(count)"] : nil
            }
            let shown = section.rows(caption)?.map { Array($0.prefix(2)) }
            expect(shown, rows.isEmpty ? nil : rows, "\(name), \(caption)")
        }
        counted(
            "Not issued", "notIssued",
            [
                ("held out", "heldOut"), ("not in the rollout", "notInRollout"), ("paused", "paused"),
                ("ineligible", "ineligible"), ("undetermined", "undetermined"), ("no longer recorded", "removed"),
            ])
        counted("Redeemed", "redemptions", [("in the offer", "inOffer"), ("refunded", "refunded")])
        let reasons = funnel.list("reasons").map { reason in
            ["rule", "fact", "verdict"].map { reason.text($0) ?? "–" }
                + ["customers", "alone"].map { "\(reason.number($0) ?? -1)" }
        }
        expect(section.rows("Blocked by"), reasons.isEmpty ? nil : reasons, "\(name), reasons")
        let costs = funnel.list("discountCost").map { cost in
            [cost.text("currency") ?? ""]
                + ["issued", "redeemed", "refunded"].map { Answer.amount(cost.text($0) ?? "") }
        }
        expect(section.rows("Discount cost"), costs.isEmpty ? nil : costs, "\(name), cost")
    }

    func overview(from: String, to: String) async throws {
        let query = [("from", from), ("to", to)].compactMap { $1.isEmpty ? nil : "\($0)=\($1)T00:00:00Z" }
        let report = try await ask("GET", "/v1/reports/funnel?" + query.joined(separator: "&"))
        let page = try await page("/console/results?from=\(from)&to=\(to)", status: report == nil ? 403 : 200)
        expect(report == nil, role == .support, "who may see the results of all offers")
        guard let report else { return }
        let rows = report.list("offers").filter { ($0["stages"].number("evaluated") ?? 0) > 0 }.map { funnel in
            let spend = funnel.list("discountCost").map {
                "\(Answer.amount($0.text("redeemed") ?? "")) \($0.text("currency") ?? "")"
            }
            return [funnel.text("offerId") ?? ""]
                + ["evaluated", "issued", "redeemed"].map { "\(funnel["stages"].number($0) ?? -1)" }
                + [spend.isEmpty ? "–" : spend.joined(separator: ", ")]
        }
        expect(
            page.rows("All offers").map { Set($0) }, rows.isEmpty ? nil : Set(rows), "results from `\(from)` to `\(to)`"
        )
    }

    func audience(_ id: String) async throws {
        let started = try #require(try await ask("POST", "/v1/simulations", ["offerId": id]))
        let simulation = try #require(started.text("id"))
        var answer = try #require(try await ask("GET", "/v1/simulations/\(simulation)"))
        while answer.text("state") == "running" {
            answer = try #require(try await ask("GET", "/v1/simulations/\(simulation)"))
        }
        let page = try await page("/console/offers/\(id)/audience/\(simulation)")
        let result = answer["result"]
        let isFew = result["customers"].has("fewerThan")
        let number =
            isFew
            ? "too few customers to tell how many"
            : "\(result.count("eligible")) of \(result.count("customers")) customers"
        let headline = "\(number) would get `\(id)`, as of \(result.shown("asOf") ?? "")"
        let basis =
            "Counted all customers, by the catalog in force then, revision \(result.number("catalogRevision") ?? -1)."
        expect(page.all("p").map(\.words).contains(basis), true, "\(id): \(basis)")
        expect(
            page.all("p").contains { $0.words.contains("in tens") }, role == .marketing, "\(id): numbers in tens")
        expect(page.all("p").map(\.words).contains(Self.plain(headline)), true, "\(id): \(headline)")
        expect(
            page.rows("Outcomes"),
            [
                ["eligible", result.count("eligible")], ["ineligible", result.count("ineligible")],
                ["undetermined", result.count("undetermined")],
            ], "\(id), outcomes of an offer without a rollout")
        expect(result.number("heldBack"), 0, "\(id), held back")
        let steps = result.list("waterfall").map { step in
            [step.text("step") ?? "", step.count("customers"), step.text("rule") ?? "–"]
        }
        expect(page.rows("Who is left after each rule"), steps, "\(id), waterfall")
        let rules = result.list("byRule").map { rule in
            ["fact", "verdict"].map { rule.text($0) ?? "–" } + [rule.count("count"), rule.text("rule") ?? "–"]
        }
        let shownRules = page.rows("Decided by")
        expect(shownRules?.map { Array($0.dropFirst()) }, rules.isEmpty ? nil : rules, "\(id), rules")
        expect(shownRules?.contains { $0.first == "–" } ?? false, false, "\(id), rules in words")
        let unknown = result.list("undeterminedBy").map { [$0.text("reason") ?? "", $0.count("count")] }
        expect(page.rows("Undetermined because"), unknown.isEmpty ? nil : unknown, "\(id), undetermined")
        let days = result.list("next30Days").filter { ($0.number("eligible") ?? 0) > 0 }.map { day in
            [day.text("day") ?? "", day.count("eligible")]
        }
        expect(page.rows("Become eligible in the next 30 days"), days.isEmpty ? nil : days, "\(id), days")
        let drawn = result.list("next30Days").map { day in
            "\(day.text("day") ?? ""): become eligible \(day.count("eligible"))"
        }
        let isDrawn = days.isEmpty == false && !isFew
        expect(
            page.all("desc").last?.words == drawn.joined(separator: "; "), isDrawn,
            "\(id), days drawn where there are any")
        let costs = result.list("costCeiling").map {
            "\(Answer.amount($0.text("amount") ?? "")) \($0.text("currency") ?? "")"
        }
        let shown = page.all("p").map(\.words).filter { $0.hasPrefix("It costs at most ") }
        expect(shown.count, costs.count, "\(id), costs")
        for (line, cost) in zip(shown, costs) {
            expect(line.hasPrefix("It costs at most \(cost)"), true, "\(id): \(line)")
        }
    }
}
