import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@testable import OfferConsole

@Suite("The catalog's pages")
struct CatalogPageTests {
    private static let page = "/console/catalog"
    private static let twice = ConsoleFixture.campaign.replacing("count: 1,", with: "count: 2,")

    /// Sends the editor's form, with the line breaks that browsers send.
    private func edit(
        _ console: ConsoleFixture, _ session: String, _ text: String, on revision: Int,
        _ more: [(String, String)] = [], to action: String = "/console/catalog"
    ) async throws -> Page {
        let lines = [("text", text.replacing("\n", with: "\r\n")), ("revision", String(revision))]
        return try await console.send(action, from: Self.page, session, lines + more)
    }

    private func agreement(_ plan: Page) throws -> [(String, String)] {
        let match = try #require(plan.text.firstMatch(of: /name="agreed" value="([0-9a-f]+)"/), "\(plan.text)")
        return [("agreed", String(match.output.1))]
    }

    private func inForce(_ console: ConsoleFixture) async throws -> (revision: Int, text: String) {
        let key = [("Authorization", "Bearer \(try await console.token(.marketing))")]
        let answer = try await console.get("/v1/catalog", nil, key)
        return (Int((answer["etag"] ?? "").filter(\.isNumber)) ?? -1, answer.text)
    }

    @Test("the editor has the catalog as it was applied, and a plan of the same text changes nothing")
    func same() async throws {
        try await ConsoleFixture.run { console in
            let text = "# our offers\n" + ConsoleFixture.campaign
            try await console.apply(text)
            let session = try await console.signIn(.marketing)
            let page = try await console.get(Self.page, session)
            #expect(page.status == 200, "\(page.text)")
            #expect(page.hasBytes("autocapitalize=\"off\">\n\(PageText().escapeText(text))</textarea>"))
            let plan = try await edit(console, session, text, on: 1, to: "\(Self.page)/plan")
            #expect(plan.text.contains("no changes: identical to revision 1"), "\(plan.text)")
            #expect(!plan.text.contains(">Apply<"), "there is nothing to apply")
        }
    }

    @Test("a campaign is planned in words, agreed to, applied with its message, and nothing else is")
    func apply() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            let session = try await console.signIn(.marketing)
            let plan = try await edit(console, session, Self.twice, on: 1, to: "\(Self.page)/plan")
            #expect(plan.status == 200, "\(plan.text)")
            #expect(plan.text.contains("1 change to revision 1; nothing was applied"))
            #expect(plan.text.contains(#"<strong class="mark">+</strong> limits: "#))
            #expect(plan.text.contains("something is widened (+)"))
            let answer = try await console.ask(
                "PUT", "/v1/catalog?dryRun=true", token: try await console.token(.marketing), body: Self.twice,
                more: [("Content-Type", "application/yaml"), ("If-Match", "\"1\"")])
            #expect((answer["changes"] as? [[String: Any]])?.map { $0["path"] as? String } == ["limits"])

            let agreed = try agreement(plan)
            let message = [("message", "twice is better")]
            let others: [(String, [(String, String)])] = [
                (Self.twice, message), (Self.twice, message + [("agreed", "true")]), (Self.twice + "# more\n", agreed),
            ]
            for (text, fields) in others {
                let refused = try await edit(console, session, text, on: 1, fields)
                #expect(refused.status == 422, "\(refused.text)")
                #expect(refused.text.contains("Nothing was applied"))
            }
            #expect(try await inForce(console).revision == 1)

            let applied = try await edit(console, session, Self.twice, on: 1, message + agreed)
            #expect(applied["location"] == "/console/catalog/revisions/2", "\(applied.text)")
            let (revision, text) = try await inForce(console)
            #expect(revision == 2 && text == Self.twice)
            let page = try await console.get("/console/catalog/revisions/2", session)
            #expect(page.text.contains(": twice is better"))
            #expect(page.text.contains(#"<strong class="mark">+</strong> limits: "#))
            #expect(page.hasBytes(PageText().escapeText(Self.twice)))
            #expect(try await console.get(Self.page, session).text.contains("revision 1, applied "))
            #expect(page.text.contains(", anna: twice is better"))
            let revisions = try await console.ask(
                "GET", "/v1/catalog/revisions", token: try await console.token(.marketing))
            let items = try #require(revisions["items"] as? [[String: Any]])
            #expect(items.map { $0["person"] as? String } == ["anna", nil], "the API's own call names no person")
            #expect(items.allSatisfy { ($0["actor"] as? String)?.count == 16 })
        }
    }

    @Test("a change that neither takes away nor widens needs no agreement")
    func harmless() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            let session = try await console.signIn(.marketing)
            let applied = try await edit(console, session, ConsoleFixture.campaign + "# a comment\n", on: 1)
            #expect(applied["location"] == "/console/catalog/revisions/2", "\(applied.text)")
        }
    }

    @Test("the first catalog is applied by the page")
    func first() async throws {
        try await ConsoleFixture.run { console in
            let session = try await console.signIn(.marketing)
            #expect(try await console.get(Self.page, session).text.contains("No catalog has been applied yet."))
            let plan = try await edit(console, session, ConsoleFixture.campaign, on: 0, to: "\(Self.page)/plan")
            #expect(plan.text.contains("<dt>customers get</dt><dd>4.99 USD per month for 3 months</dd>"))
            let applied = try await edit(console, session, ConsoleFixture.campaign, on: 0, agreement(plan))
            #expect(applied["location"] == "/console/catalog/revisions/1", "\(applied.text)")
        }
    }

    @Test("another catalog that was applied in between is named, and what was typed stays")
    func conflict() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            let session = try await console.signIn(.marketing)
            let agreed = try agreement(
                try await edit(console, session, Self.twice, on: 1, to: "\(Self.page)/plan"))
            try await console.apply(ConsoleFixture.campaign.replacing("count: 500", with: "count: 400"), on: 1)
            for action in [Self.page, "\(Self.page)/plan"] {
                let answer = try await edit(console, session, Self.twice, on: 1, agreed, to: action)
                #expect(answer.status == 412)
                #expect(answer.text.contains("another catalog was applied in between: revision 2, applied "))
                #expect(answer.text.contains(#"<a href="/console/catalog/revisions/2">What it changed</a>"#))
                #expect(answer.hasBytes(PageText().escapeText(Self.twice)), "the text")
                #expect(answer.text.contains(#"name="revision" value="2""#), "the next plan is of what is in force")
                #expect(answer.text.contains("<h2>Plan</h2>") && answer.text.contains("400"), "what it would undo")
            }
            #expect(try await inForce(console).revision == 2)
        }
    }

    private static let mistakes: [(fields: [(String, String)], status: Int, words: String)] = [
        ([("text", campaign("type: promotonal")), ("revision", "1")], 422, "line 9: `offers[0].type`"),
        ([("text", "{"), ("revision", "1")], 422, "line "), ([("text", ""), ("revision", "1")], 422, "is empty"),
        ([("text", "a"), ("revision", "-1")], 400, "is not a revision"), ([("text", "a")], 400, "is not a revision"),
        ([("text", "a"), ("revision", "99999999999999999999")], 400, "is not a revision"),
        ([("text", ConsoleFixture.campaign), ("revision", "7")], 412, "another catalog was applied in between"),
        ([("text", "a"), ("revision", "1"), ("dryRun", "false")], 400, "there is no parameter"),
        ([("text", String(repeating: "#", count: 50_000)), ("revision", "1")], 413, "`offerctl catalog apply`"),
        (
            [("text", ConsoleFixture.campaign), ("revision", "1"), ("message", String(repeating: "a", count: 1_001))],
            400, "1 to 1000 characters"
        ),
    ]

    private static func campaign(_ type: String) -> String {
        ConsoleFixture.campaign.replacing("type: promotional", with: type)
    }

    @Test("what is no catalog is refused with every error and its line, and is not applied")
    func mistakes() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            let session = try await console.signIn(.marketing)
            for (fields, status, words) in Self.mistakes {
                for action in [Self.page, "\(Self.page)/plan"] {
                    let answer = try await console.send(action, from: Self.page, session, fields)
                    #expect(answer.status == status && answer.words.contains(words), "\(fields): \(answer.text)")
                    guard !fields.contains(where: { $0.0 == "dryRun" }) else { continue }
                    let typed = PageText().escapeText(fields[0].1)
                    #expect(answer.hasBytes("\n\(typed)</textarea>"), "what was typed stays")
                }
            }
            let typed = [("text", "{"), ("revision", "1"), ("live", "true")]
            let live = try await console.send("\(Self.page)/plan", from: Self.page, session, typed)
            #expect(live.status == 200 && live.text.contains("line "), "what is planned while it is typed may be wrong")
            #expect(try await inForce(console).revision == 1)
        }
    }

    @Test("a revision is rolled back to as a new one, unless another came in between")
    func rollBack() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            try await console.apply(Self.twice, on: 1)
            let session = try await console.signIn(.marketing)
            let path = "\(Self.page)/revisions/1"
            let page = try await console.get(path, session)
            #expect(page.text.contains("with these changes to revision 2"), "\(page.text)")
            #expect(page.text.contains(#"<strong class="mark">-</strong> limits: "#))
            #expect(page.text.contains(#"name="agreed" value="true" required"#))
            let unread = try await console.send("\(path)/rollback", from: path, session, [("revision", "2")])
            #expect(unread.status == 400 && unread.text.contains("nothing was applied: something is taken away (-)"))
            #expect(try await inForce(console).revision == 2)
            let fields = [("revision", "2"), ("agreed", "true")]
            let rolledBack = try await console.send("\(path)/rollback", from: path, session, fields)
            #expect(rolledBack["location"] == "\(Self.page)/revisions/3", "\(rolledBack.text)")
            let (revision, text) = try await inForce(console)
            #expect(revision == 3 && text == ConsoleFixture.campaign)
            let last = try await console.get("\(Self.page)/revisions/3", session).text
            #expect(last.contains(": rollback to revision 1") && last.contains("in force</span>"))
            let again = try await console.send("\(path)/rollback", from: path, session, fields)
            #expect(again.status == 412)
            #expect(again.text.contains("another catalog was applied in between"))
            for unknown in ["0", "4", "x", "-1", "99999999999999999999"] {
                #expect(try await console.get("\(Self.page)/revisions/\(unknown)", session).status == 404)
            }
        }
    }

    @Test("a revision leads to those before and after it, and says why it has no change to show")
    func neighbours() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            try await console.apply(Self.twice, on: 1)
            try await console.apply(Self.twice + "# the same\n", on: 2)
            let session = try await console.signIn(.marketing)
            let marks = "+ gives more, - takes away, ± both, · neither, ? unknown"
            func page(_ revision: Int) async throws -> String {
                let page = try await console.get("\(Self.page)/revisions/\(revision)", session)
                #expect(page.status == 200, "\(page.text)")
                for (rel, other) in [("prev", revision - 1), ("next", revision + 1)] {
                    let link = #"<a href="/console/catalog/revisions/\#(other)" rel="\#(rel)">"#
                    #expect(page.text.contains(link) == (1...3).contains(other), "\(revision) to \(other)")
                }
                return page.text
            }
            // Once below what it changed, and once below what a rollback would change.
            for (revision, count) in [(1, 2), (2, 1)] {
                #expect(try await page(revision).components(separatedBy: marks).count == count + 1, "\(revision)")
            }
            let same = try await page(3)
            #expect(same.contains("It changed no offer and no product, only how the text is written."))
            #expect(!same.contains(marks))
            _ = try await console.database.write { transaction in
                try transaction.execute(Statement("UPDATE catalog_revision SET document = '{' WHERE revision = 2"))
            }
            #expect(try await page(2).contains("cannot read this revision, so it cannot say what it changed"))
            let behind = try await page(3)
            #expect(behind.contains("cannot read the revision before it, so it cannot say what it changed"))
            #expect(!behind.contains(marks))
        }
    }

    @Test("a catalog in JSON is edited as YAML")
    func json() async throws {
        try await ConsoleFixture.run { console in
            let token = try await console.token(.marketing)
            try await console.apply(ConsoleFixture.campaign)
            let accept = [("Authorization", "Bearer \(token)"), ("Accept", "application/json")]
            let json = try await console.get("/v1/catalog", nil, accept).text
            _ = try await console.ask(
                "PUT", "/v1/catalog", token: token, body: json,
                more: [("Content-Type", "application/json"), ("If-Match", "\"1\"")])
            let page = try await console.get(Self.page, try await console.signIn(.marketing))
            #expect(page.text.contains("\nbundleId: "), "\(page.text)")
        }
    }

    @Test("the page of a catalog as large as it takes stays below 100 KB")
    func large() async throws {
        try await ConsoleFixture.run { console in
            let text = ConsoleFixture.campaign
            let most = ConsoleSite.editorBytes - text.utf8.count
            let comment = "# a comment of a catalog that has many of them\n"
            let comments = String(repeating: comment, count: most / comment.utf8.count)
            try await console.apply(text + comments)
            let session = try await console.signIn(.marketing)
            let page = try await console.get(Self.page, session)
            #expect(page.text.contains("<textarea") && page.body.count < 100_000)
            try await console.apply(text + comments + comments, on: 1)
            let larger = try await console.get(Self.page, session)
            #expect(!larger.text.contains("<textarea") && larger.body.count < 100_000)
            #expect(larger.text.contains("too many for this page"))
        }
    }
}
