import OfferTestSupport
import Testing

@testable import OfferctlCommands

@Suite("offerctl catalog apply")
struct CatalogApplyTests {
    private func apply(
        _ arguments: [String], file: String = "catalog.yaml", _ text: String = "bundleId: com.example.pro # ü\n",
        put: ScriptedServer.Reply,
        get: ScriptedServer.Reply = .init(
            status: 200, headers: [("Content-Type", "application/yaml"), ("ETag", "\"3\"")], body: "offers: []\n")
    ) async throws -> (Command, [ScriptedServer.Request]) {
        let directory = try TemporaryDirectory()
        try directory.write(text, to: file)
        return try await ScriptedServer.run(["GET /v1/catalog": get, "PUT /v1/catalog": put]) { server in
            let run = try await OfferctlProcess.run(
                ["catalog", "apply", file] + arguments,
                ["OFFERCTL_TOKEN": "offerd_1_secret", "OFFERCTL_SERVER": server.address], directory: directory.url)
            return (run, server.seen)
        }
    }

    @Test("the file is sent as it is, against the revision in force, and the changes are shown")
    func applied() async throws {
        let (run, seen) = try await apply(
            ["--message", "spring & more", "--confirm"], put: .json(200, try Fixture.text("catalog/applied.json")))
        #expect(run.status == 0)
        #expect(try run.text == Fixture.text("catalog/applied.txt"))
        #expect(seen.map(\.method) == ["GET", "PUT"])
        let put = try #require(seen.last)
        #expect(put.uri == "/v1/catalog?message=spring%20%26%20more")
        #expect(put.headers["if-match"] == "\"3\"")
        #expect(put.headers["content-type"] == "application/yaml")
        #expect(put.body == "bundleId: com.example.pro # ü\n")
    }

    @Test("without --confirm the server is asked first what would change; a .json file is sent as JSON")
    func unconfirmed() async throws {
        let harmless =
            #"{"changes":[{"change":"changed","from":"1","offerId":"a","path":"priority","to":"2"}],"revision":4}"#
        func catalog(priority: Int) -> String {
            """
            {"bundleId":"com.example.pro","offers":[{"id":"a","limits":[{"count":1}],"offerIdentifier":"a",\
            "paymentMode":"freeTrial","period":"P1M","periodCount":1,"priority":\(priority),"products":["p"],\
            "status":"active","type":"promotional"}],"subscriptionGroups":[{"id":"1","products":[{"level":1,\
            "period":"P1M","price":{"amount":"9.99","currency":"USD"},"productId":"p"}]}]}
            """
        }
        let inForce = ScriptedServer.Reply(
            status: 200, headers: [("Content-Type", "application/json"), ("ETag", "\"3\"")], body: catalog(priority: 1))
        let (run, seen) = try await apply(
            [], file: "catalog.json", catalog(priority: 2), put: .json(200, harmless), get: inForce)
        #expect(run.status == 0)
        #expect(seen.map(\.uri) == ["/v1/catalog", "/v1/catalog?dryRun=true", "/v1/catalog"])
        #expect(seen.dropFirst().map(\.headers["if-match"]) == ["\"3\"", "\"3\""])
        #expect(seen.last?.headers["content-type"] == "application/json")
    }

    @Test("every error of an invalid catalog is shown with path, file, line and hint, and the end is 1")
    func invalid() async throws {
        let errors = """
            ,"errors":[{"code":"unknownFact","detail":"unknown fact `subscription.staet`",\
            "path":"offers[2].eligibility.all[0]","line":31,"column":17,"hint":"did you mean `subscription.state`?"},\
            {"code":"missing","detail":"`limits` is missing","path":"offers[0]","line":9}]
            """
        let put = ScriptedServer.Reply.problem(422, "invalid-catalog", "the catalog has 2 errors", errors)
        let (run, _) = try await apply([], put: put)
        #expect(run.status == 1)
        #expect(run.text.isEmpty)
        #expect(
            run.errorText == """
                error: unknown fact `subscription.staet` at offers[2].eligibility.all[0] (catalog.yaml:31)
                hint: did you mean `subscription.state`?
                error: `limits` is missing at offers[0] (catalog.yaml:9)

                """)
        let (json, _) = try await apply(["--json"], put: put)
        #expect(json.status == 1)
        #expect(json.text == put.body + "\n")
    }

    @Test("if somebody applied in between, that is said and the end is 1")
    func changed() async throws {
        let (run, _) = try await apply([], put: .problem(412, "catalog-changed", "the catalog in force is revision 4"))
        #expect(run.status == 1)
        #expect(
            run.errorText == """
                error: the catalog in force is revision 4
                hint: another catalog was applied in between
                hint: `offerctl catalog plan catalog.yaml` shows what your file would change now

                """)
    }

    @Test("a catalog without a tag is not offerd's: nothing is sent")
    func noTag() async throws {
        let (run, seen) = try await apply(
            [], put: .json(200, "{}"), get: .init(status: 200, headers: [("Content-Type", "text/html")], body: "hi"))
        #expect(run.status == 3)
        #expect(seen.map(\.method) == ["GET"])
        #expect(run.errorText.contains("is not one that offerd gives: status 200 and `text/html`\n"))
    }
}
