import OfferTestSupport
import Testing

@testable import OfferctlCommands

@Suite("changes at a terminal")
struct ProductionTests {
    private static let issuedId = "6f1d3a52-7c0b-4b0e-9f3a-2d5e8c1b7a90"

    /// Types a command at a terminal.
    ///
    /// - Returns: what it shows, how it ends, and the changes that were asked of the server.
    private func typed(
        _ command: String, answers: [String] = [], in environment: String?, isPaused: Bool = false,
        terminal: String = "dumb"
    ) async throws -> (text: String, status: Int32, changes: [String]) {
        let headers = environment.map { [("Offerd-Scope", "com.example.pro/\($0)")] } ?? []
        let catalog = ScriptedServer.Reply(
            status: 200, headers: headers + [("Content-Type", "application/yaml"), ("ETag", "\"4\"")],
            body: "offers: []\n")
        let revision = #"{"actor":"k","createdAt":1795298300000,"document":"offers: []","format":"yaml","revision":3}"#
        let offer = """
            {"offerId":"a","paused":\(isPaused),"priority":0,"standing":"\(isPaused ? "paused" : "running")",\
            "status":"active","type":"promotional"}
            """
        let offers = #"{"items":[\#(offer)]}"#
        let paused = #"{"changed":true,"everyOfferPaused":false,"offerId":"a","paused":true}"#
        let removed = #"{"changes":[{"change":"removed","offerId":"a"}],"revision":5}"#
        let issued = """
            {"bundleId":"com.example.pro","catalogRevision":3,"decisionId":"f605446f-82f8-43f1-8e38-7adc3ab1d058",\
            "delivery":"appStore","environment":"Production","expiresAt":1795384800000,"issuedAt":1795298400000,\
            "issuedOfferId":"\(Self.issuedId)","offerId":"a","offerType":"winBack","productId":"m","signatures":{},\
            "state":"open"}
            """
        let unlinked = #"{"customers":[],"unlinked":["customerId"]}"#
        let directory = try TemporaryDirectory()
        try directory.write("bundleId: com.example.pro\n", to: "catalog.yaml")
        return try await ScriptedServer.run([
            "GET /v1/catalog": catalog, "GET /v1/catalog/revisions/3": .json(200, revision, headers),
            "PUT /v1/catalog": .json(200, removed, headers), "GET /v1/offers": .json(200, offers, headers),
            "GET /v1/issued-offers/\(Self.issuedId)": .json(200, issued, headers),
            "POST /v1/issued-offers/\(Self.issuedId)/void":
                .json(200, issued.replacing("open", with: "voided"), headers),
            "POST /v1/customers/unlink": .json(200, unlinked, headers),
            "POST /v1/offers/a/pause": .json(200, paused, headers),
            "POST /v1/offers/pause": .json(200, paused, headers),
            "POST /v1/offers/resume": .json(200, paused.replacing("true}", with: "false}"), headers),
        ]) { server in
            let run = try await BuiltProgram("offerctl").runAtTerminal(
                command.split(separator: " ").map(String.init), answers: answers,
                environment: [
                    "OFFERCTL_TOKEN": "offerd_1_secret", "OFFERCTL_SERVER": server.address, "TERM": terminal,
                ],
                directory: directory.url)
            let changes = server.seen.filter { $0.method != "GET" && !$0.uri.contains("dryRun") }
            return (run.text.replacing("\r\n", with: "\n"), run.status, changes.map { "\($0.method) \($0.uri)" })
        }
    }

    @Test("in Production a change asks, and yes goes on", arguments: ["y", "yes", " Y "])
    func agreed(_ answer: String) async throws {
        let run = try await typed("offers pause a", answers: [answer], in: "Production")
        #expect(run.changes == ["POST /v1/offers/a/pause"])
        #expect(run.status == 0)
        #expect(
            run.text == """
                com.example.pro in PRODUCTION
                pause `a` (com.example.pro in PRODUCTION)? [y/N] \(answer)
                `a` is paused

                """)
    }

    @Test("anything else leaves everything as it is", arguments: ["n", "", "yess", "Production"])
    func declined(_ answer: String) async throws {
        let run = try await typed("offers pause a", answers: [answer], in: "Production")
        #expect(run.changes == [])
        #expect(run.status == 1)
        #expect(run.text.hasSuffix("[y/N] \(answer)\nerror: not done: pause `a`\n"), "\(run.text)")
    }

    @Test(
        "to void an offer and to detach an alias are changes that ask too",
        arguments: [
            (
                "issued void \(issuedId) --reason x", "void the issued offer `\(issuedId)`",
                "/v1/issued-offers/\(issuedId)/void"
            ),
            (
                "customers unlink --original-transaction-id 1 --customer-id u --reason x",
                "detach `customerId` from the customer", "/v1/customers/unlink"
            ),
        ])
    func supportChanges(_ command: String, _ question: String, _ path: String) async throws {
        let declined = try await typed(command, answers: ["n"], in: "Production")
        #expect(declined.changes == [] && declined.status == 1)
        #expect(
            declined.text == """
                com.example.pro in PRODUCTION
                \(question) (com.example.pro in PRODUCTION)? [y/N] n
                error: not done: \(question)

                """)
        #expect(try await typed(command, answers: ["y"], in: "Production").changes == ["POST \(path)"])
    }

    @Test("on a terminal with colours, Production is red")
    func red() async throws {
        let run = try await typed("offers pause a", answers: ["n"], in: "Production", terminal: "xterm")
        #expect(
            run.text.hasPrefix("com.example.pro in \u{1B}[1;31mPRODUCTION\u{1B}[0m\n"), "\(run.text.debugDescription)")
    }

    @Test("the end of input is no answer")
    func ended() async throws {
        let run = try await typed("offers pause a", in: "Production")
        #expect(run.changes == [])
        #expect(run.status == 1)
    }

    @Test("in another environment nothing is asked; of a server that does not say its environment it is")
    func elsewhere() async throws {
        for environment in ["Sandbox", "LocalTesting"] {
            let run = try await typed("offers pause a", in: environment)
            #expect(run.text == "com.example.pro in \(environment)\n`a` is paused\n")
        }
        let older = try await typed("offers pause a", answers: ["y"], in: nil)
        #expect(older.text == "pause `a`? [y/N] y\n`a` is paused\n")
    }

    @Test("an apply with --confirm shows its plan in Production and asks")
    func apply() async throws {
        let run = try await typed("catalog apply catalog.yaml --confirm", answers: ["n"], in: "Production")
        #expect(run.changes == [])
        #expect(
            run.text == """
                com.example.pro in PRODUCTION
                1 change to revision 5

                a
                  - removed: it is no longer issued; signatures already issued stay valid at Apple for up to 24 hours

                something is taken away (-)
                apply `catalog.yaml` (com.example.pro in PRODUCTION)? [y/N] n
                error: not done: apply `catalog.yaml`

                """)
        let sandbox = try await typed("catalog apply catalog.yaml --confirm", in: "Sandbox")
        #expect(sandbox.changes == ["PUT /v1/catalog"])
    }

    @Test("a rollback and a pause of all show what they do and ask everywhere", arguments: ["Sandbox", "Production"])
    func previews(_ environment: String) async throws {
        let place = environment == "Production" ? "PRODUCTION" : environment
        let pause = try await typed("offers pause --all", answers: ["n"], in: environment)
        #expect(pause.changes == [])
        #expect(
            pause.text == """
                com.example.pro in \(place)
                1 active offer would no longer be issued:
                  a
                pause every offer (com.example.pro in \(place))? [y/N] n
                error: not done: pause every offer

                """)
        let rollback = try await typed("catalog rollback 3", answers: ["y"], in: environment)
        #expect(rollback.changes == ["PUT /v1/catalog?message=rollback%20to%20revision%203"])
        #expect(
            rollback.text.contains(
                "\n  - removed: it is no longer issued; signatures already issued stay valid at Apple for up to 24 hours\n"
            ))
        #expect(
            rollback.text.contains(
                "\nroll back to revision 3 (com.example.pro in \(place))? [y/N] y\nrevision 5 is in force"))
        let resume = try await typed("offers resume --all", answers: ["n"], in: environment, isPaused: true)
        #expect(resume.changes == [])
        #expect(
            resume.text == """
                com.example.pro in \(place)
                1 active offer would be issued again, unless paused by id as well:
                  a
                resume every offer (com.example.pro in \(place))? [y/N] n
                error: not done: resume every offer

                """)
        let confirmed = try await typed("offers pause --all --confirm", in: "Sandbox")
        #expect(confirmed.changes == ["POST /v1/offers/pause"])
    }

    @Test(
        "with --json stdout has one document, whatever is shown before the question",
        arguments: [
            "catalog apply catalog.yaml --confirm", "catalog rollback 3 --confirm", "offers pause --all --confirm",
            "offers resume --all --confirm",
        ])
    func json(_ command: String) async throws {
        for answer in ["y", "n"] {
            let run = try await typed("\(command) --json", answers: [answer], in: "Production", isPaused: true)
            let documents = run.text.split(separator: "\n").filter { $0.hasPrefix("{") }
            #expect(documents.count == (answer == "y" ? 1 : 0), "\(run.text)")
            #expect(run.text.contains("[y/N] "), "\(run.text)")
            #expect(!run.text.contains("nothing was applied"), "\(run.text)")
            #expect(run.changes.count == (answer == "y" ? 1 : 0))
        }
    }
}
