import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import SQLiteStore
import Testing

@Suite("offerctl against a real server")
struct OfferctlTests {
    private static let raised = TestCatalog.yaml.replacing("count: 1", with: "count: 2")
    private static let dearer = TestCatalog.yaml.replacing("\"4.99\"", with: "\"5.99\"")

    private func serving(_ body: (Installation, RunningServer) async throws -> Void) async throws {
        let installation = try await Installation()
        let server = try await RunningServer.start(installation)
        do {
            try await body(installation, server)
        } catch {
            await server.kill()
            throw error
        }
        #expect(await server.stop() == 0)
    }

    @Test("two people change the same revision: the second is refused and sees who was first and what that changed")
    func conflict() async throws {
        try await serving { installation, server in
            let anna = Operator(server: server, token: try installation.token(.marketing))
            let ben = Operator(server: server, token: try installation.token(.admin))
            try anna.saves(TestCatalog.yaml, as: "catalog.yaml")
            #expect(try await anna.types("catalog apply catalog.yaml --from-revision 0 --confirm").status == 0)
            try anna.saves(Self.raised, as: "catalog.yaml")
            try ben.saves(Self.dearer, as: "catalog.yaml")
            let applied = try await anna.types(
                "catalog apply catalog.yaml --from-revision 1 --confirm --message 'more of it'")
            #expect(applied.status == 0)
            #expect(applied.text.hasPrefix("revision 2 is in force: 1 change\n"), "\(applied.text)")
            let refused = try await ben.types("catalog apply catalog.yaml --from-revision 1")
            #expect(refused.status == 1)
            #expect(refused.text.isEmpty)
            let key = try installation.token(.marketing).split(separator: "_")[3]
            #expect(
                try TerminalPattern(
                    """
                    com.example.pro in LocalTesting
                    error: the catalog in force is revision 2
                    hint: revision 2, applied {time} by key \(key): more of it
                    hint: it changed `limits` of `comeback` from `1 per customer` to `2 per customer`
                    hint: `offerctl catalog plan catalog.yaml` shows what your file would change now

                    """
                ).matches(refused.errorText), "\(refused.errorText)")
            let comment = "# revision 2 of com.example.pro in LocalTesting, exported by offerctl\n"
            #expect(try await ben.types("catalog export").text == comment + Self.raised)
            #expect(try await ben.types("catalog export -o exported.yaml").status == 0)
            let unchanged = try await ben.types("catalog apply exported.yaml")
            #expect(unchanged.text == "no changes: identical to revision 2\n")
            #expect(unchanged.errorText == "com.example.pro in LocalTesting\n")
        }
    }

    @Test("an app's own table of subscriptions is imported beside the server, and support sees the customers")
    func importedTable() async throws {
        try await serving { installation, server in
            let anna = Operator(server: server, token: try installation.token(.marketing))
            let support = Operator(server: server, token: try installation.token(.support))
            try anna.saves(TestCatalog.yaml, as: "catalog.yaml")
            #expect(try await anna.types("catalog apply catalog.yaml --from-revision 0 --confirm").status == 0)
            try installation.directory.write(
                """
                id,user_id,product_id,original_transaction_id,purchased_at,expires_at,auto_renew_enabled,is_trial,trial_ends_at,cancelled_at
                1,frida,com.example.pro.monthly,2000000900000501,2026-01-01T09:00:00Z,2026-02-01T09:00:00Z,false,false,2025-12-08T09:00:00Z,2026-01-03T12:00:00Z
                2,gustav,com.example.pro.monthly,2000000900000601,2026-01-01 09:00:00+00,,true,true,2026-01-08 09:00:00+00,
                3,hanna,com.example.pro.monthly,,2026-01-01T09:00:00Z,2026-02-01T09:00:00Z,true,false,,
                """, to: "table.csv")
            let imported = try await Installation.offerd.run(
                [
                    "import", "transactions", "table.csv", "--mapping", "subscriptions", "--app", "com.example.pro",
                    "--environment", "LocalTesting", "--config", "offerd.yaml",
                ], directory: installation.directory.url)
            #expect(imported.text.hasPrefix("read: 3 lines, 1 refused\n  malformed: 1\nadded: 4,"), "\(imported.text)")
            let frida = try await support.types("customers show --customer-id frida")
            #expect(frida.status == 0, "\(frida.errorText)")
            #expect(frida.text.contains("2000000900000501"), "\(frida.text)")
            #expect(frida.text.contains("expired"), "\(frida.text)")
            let gustav = try await support.types("customers show --customer-id gustav -o json")
            #expect(gustav.text.contains("\"offerType\""), "\(gustav.text)")
            #expect(try await support.types("customers show --customer-id hanna").status == 1)
        }
    }

    @Test("of eight who apply at once from the same revision one succeeds, and seven are told about that one")
    func race() async throws {
        try await serving { installation, server in
            let token = try installation.token(.marketing)
            let runs = try await withThrowingTaskGroup(of: Command.self) { group in
                for number in 1...8 {
                    group.addTask {
                        let person = Operator(server: server, token: token)
                        try person.saves(TestCatalog.yaml.replacing("count: 1", with: "count: \(number)"), as: "c.yaml")
                        return try await person.types(
                            "catalog apply c.yaml --from-revision 0 --confirm --message 'number \(number)'")
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(runs.count { $0.status == 0 } == 1)
            let refused = runs.filter { $0.status == 1 }
            #expect(refused.count == 7)
            for run in refused {
                #expect(
                    run.errorText.hasPrefix(
                        "com.example.pro in LocalTesting\nerror: the catalog in force is revision 1\nhint: revision 1, applied "
                    ))
            }
            #expect(Set(refused.map(\.errorText).map { $0.replacing(#/hint: `.*/#, with: "") }).count == 1)
        }
    }

    @Test("another text with the same offers is a new revision, and said to be no more; the same text is none")
    func onlyText() async throws {
        try await serving { installation, server in
            let anna = Operator(server: server, token: try installation.token(.marketing))
            try anna.saves(TestCatalog.yaml, as: "catalog.yaml")
            #expect(try await anna.types("catalog apply catalog.yaml --confirm").status == 0)
            #expect(
                try await anna.types("catalog apply catalog.yaml").text
                    == "no changes: identical to revision 1\n")
            #expect(
                try await anna.types("catalog plan catalog.yaml").text
                    == "no changes: identical to revision 1\n")
            try anna.saves("# spring\n" + TestCatalog.yaml, as: "catalog.yaml")
            #expect(
                try await anna.types("catalog plan catalog.yaml --exit-code").text
                    == "no offer changes: only the text differs from revision 1, such as comments or the order\n")
            #expect(
                try await anna.types("catalog apply catalog.yaml").text
                    == "revision 2 is in force: only the text changed, such as comments or the order; no offer did\n")
        }
    }

    @Test("a file of an older revision needs --confirm where it undoes a colleague's change, and not where it does not")
    func stale() async throws {
        try await serving { installation, server in
            let anna = Operator(server: server, token: try installation.token(.marketing))
            let ben = Operator(server: server, token: try installation.token(.admin))
            try anna.saves(TestCatalog.yaml, as: "catalog.yaml")
            #expect(try await anna.types("catalog apply catalog.yaml --confirm").status == 0)
            #expect(try await ben.types("catalog export -o mine.yaml").status == 0)
            let mine = String(decoding: try ben.reads("mine.yaml"), as: UTF8.self)
            try anna.saves(
                TestCatalog.yaml.replacing("status: active", with: "status: active\n    priority: 7"),
                as: "catalog.yaml")
            #expect(try await anna.types("catalog apply catalog.yaml").status == 0)
            // What Ben changes is harmless by itself.
            try ben.saves(mine.replacing("status: active", with: "status: active\n    tags: [spring]"), as: "mine.yaml")
            let refused = try await ben.types("catalog apply mine.yaml")
            #expect(refused.status == 1)
            #expect(
                refused.text.contains(
                    """
                    the file was exported from revision 1, and revision 2 is in force; applying it would undo:
                      comeback: priority: 7 → 0

                    later changes would be undone: `apply` needs `--confirm`

                    """), "\(refused.text)")
            try ben.saves(
                mine.replacing("status: active", with: "status: active\n    priority: 7\n    tags: [spring]"),
                as: "mine.yaml")
            #expect(try await ben.types("catalog apply mine.yaml").status == 0)
            #expect(
                try await ben.types("catalog apply mine.yaml --confirm").text == "no changes: identical to revision 3\n"
            )
        }
    }

    @Test("a key that is unknown, revoked or expired, and one of another role, are told apart, and never shown")
    func keys() async throws {
        try await serving { installation, server in
            let expired = try installation.token(.support)
            let revoked = try installation.token(.admin)
            let id = String(expired.split(separator: "_")[3])
            let database = try SQLiteDatabase(path: installation.directory.path("offers.sqlite"))
            let changed = try await database.write { transaction in
                try transaction.changes(
                    by:
                        Statement("UPDATE api_key SET created_at = 1, expires_at = 2 WHERE id = ?1", id))
            }
            try database.close()
            #expect(changed == 1)
            #expect(
                try await Installation.offerd.run(
                    ["api-keys", "revoke", revoked, "--config", "offerd.yaml"], directory: installation.directory.url
                ).status == 0)
            let unknown = "offerd_support_test_0123456789abcdef_" + String(repeating: "0", count: 64)
            for token in [expired, revoked, unknown, "nonsense"] {
                let run = try await Operator(server: server, token: token).types("offers list")
                #expect(run.status == 1)
                #expect(
                    run.errorText == """
                        error: the API key is unknown, expired or revoked
                        hint: the key in OFFERCTL_TOKEN may be revoked, expired or of another server; `offerd api-keys list` shows it

                        """)
            }
            let client = try await Operator(server: server, token: try installation.token(.client)).types("offers list")
            #expect(client.status == 1)
            #expect(
                client.errorText == """
                    com.example.pro in LocalTesting
                    error: the API key has the role `client`
                    hint: this call needs the role `marketing`, `support` or `admin`
                    hint: the key comes from OFFERCTL_TOKEN

                    """)
        }
    }

    @Test("the server's errors about members of a request name the options of the command line")
    func typedWords() async throws {
        try await serving { installation, server in
            let anna = Operator(server: server, token: try installation.token(.marketing))
            let two = TestCatalog.yaml
                .replacing("[com.example.pro.monthly]", with: "[com.example.pro.monthly, com.example.pro.yearly]")
            try anna.saves(two, as: "catalog.yaml")
            let applied = try await anna.types("catalog apply catalog.yaml --confirm")
            #expect(applied.status == 0, "\(applied.errorText)")
            let several = try await anna.types("dry-run --offer comeback --customer-id x")
            #expect(several.status == 1)
            #expect(
                several.errorText == """
                    com.example.pro in LocalTesting
                    error: the offer `comeback` has several products and the request names none
                    hint: set `--product` to one of `com.example.pro.monthly`, `com.example.pro.yearly`

                    """)
            let long = String(repeating: "x", count: 2_000)
            let signal = try await anna.types("dry-run --all --customer-id x --signal plan=\(long)")
            #expect(signal.status == 1)
            #expect(signal.errorText.contains(" in `--signal plan=…`\n"), "\(signal.errorText)")
            let customer = try await anna.types("dry-run --all --customer-id \(long)")
            #expect(customer.errorText.contains(" in `--customer-id`\n"), "\(customer.errorText)")
            let unknown = try await anna.types("dry-run --offer comeback50 --customer-id x")
            #expect(
                unknown.errorText == """
                    com.example.pro in LocalTesting
                    error: the catalog has no offer `comeback50`
                    hint: the id is the offer's in the catalog, not its name in App Store Connect; `offerctl offers list` shows those in force

                    """)
        }
    }
}
