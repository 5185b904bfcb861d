import Foundation
import LocalAppStore
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("A backfill that is stopped and started again")
struct BackfillInterruptionTests {
    private static let template = Task { try await Installation() }
    private static let arguments = [
        "backfill", "--config", "offerd.yaml", "--app", "com.example.pro", "--environment", "LocalTesting",
    ]

    /// An installation that asks this server.
    private func installation(_ server: AppleServer) async throws -> Installation {
        let installation = try Installation(copying: try await Self.template.value)
        let configuration = try String(contentsOfFile: installation.directory.path("offerd.yaml"), encoding: .utf8)
        try installation.directory.write(
            configuration + "\nappStoreServer: { LocalTesting: '\(server.address)' }\n", to: "offerd.yaml")
        return installation
    }

    private func customer(_ id: Int, _ installation: Installation) throws -> SignedScenario {
        let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        return try installation.appStore.sign(
            Scenario(
                bundleId: "com.example.pro", environment: .localTesting,
                customer: ScenarioCustomer(
                    appTransactionId: AppTransactionId("\(8_000 + id)"), originalTransactionId: TransactionId("\(id)")),
                steps: [
                    .buy(
                        product: "monthly", group: "21500001", at: .fixed(now.adding(months: -4)),
                        period: Period(months: 1), price: Money(milliunits: 9_990, currency: "USD")),
                    .renew(times: 3),
                ]), now: now)
    }

    /// Lets the server fall silent at the first request that a test chooses, and tells when.
    private func fallSilent(
        _ apple: PlayedAppStore, at isChosen: @escaping @Sendable (AppleServer.Request) -> Bool
    ) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        apple.interpose { request, _ in
            guard isChosen(request) else { return nil }
            continuation.yield()
            return .silence
        }
        return stream
    }

    @Test(
        "the same command goes on where it was, keeps nothing by half and nothing twice",
        arguments: [SIGTERM, SIGINT, SIGKILL])
    func list(_ signal: Int32) async throws {
        let apple = PlayedAppStore()
        try await apple.serve { server in
            let installation = try await self.installation(server)
            let ids = Array(101...120)
            apple.accounts = try ids.map { PlayedAccount(of: try customer($0, installation)) }
            try installation.directory.write(ids.map { "\($0)\n" }.joined(), to: "ids.txt")
            let arguments = Self.arguments + ["--ids", "ids.txt"]
            // Of the second step: the first eight are done, the ninth is half fetched.
            let silence = fallSilent(apple) { $0.uri.contains("appTransactions/109") }
            let started = try StartedCommand(arguments, directory: installation.directory.url)
            _ = await silence.first { _ in true }
            let stopped = try await started.end(with: signal)
            if signal == SIGKILL {
                #expect(stopped.status == SIGKILL)
            } else {
                #expect(stopped.status == 1)
                #expect(
                    stopped.errorText == """
                        error: stopped: 8 of 20 ids: 8 fetched, 0 known, 0 refused
                        hint: the same command goes on where it stopped

                        """)
            }
            #expect(stopped.output.isEmpty)
            let kept = try await installation.customers()
            #expect(kept.isSuperset(of: (101...108).map(String.init)) && !kept.contains("109"), "\(kept.sorted())")
            apple.interpose(nil)
            let before = server.seen.count
            let rest = try await Installation.offerd.run(arguments, directory: installation.directory.url)
            #expect(rest.status == 0, "\(rest.errorText)")
            #expect(rest.errorText == "going on after 8 of 20 ids\n")
            #expect(rest.text.hasPrefix("20 ids: "), "\(rest.text)")
            #expect(try await installation.customers() == Set(ids.map(String.init)))
            let again = server.seen.dropFirst(before).map(\.uri)
            #expect(!again.contains { uri in (101...108).contains { uri.hasSuffix("/\($0)") } }, "\(again)")
            #expect(try await installation.rows("history_transaction") == 80)
            #expect(try await installation.rows("coverage") == 20)
            #expect(!FileManager.default.fileExists(atPath: installation.directory.path("ids.txt.backfill")))
            let proof = try await Installation.offerd.run(
                ["verify-ledger", "--config", "offerd.yaml"], directory: installation.directory.url)
            #expect(proof.status == 0, "\(proof.errorText)")
        }
    }

    @Test("notifications go on at the page where they were left, and keep the end they had")
    func notifications() async throws {
        let apple = PlayedAppStore()
        try await apple.serve { server in
            let installation = try await self.installation(server)
            for id in 101...115 { apple.notifications += try customer(id, installation).notifications }
            #expect(apple.notifications.count == 60)
            let arguments = Self.arguments + ["--notifications", "--from", "2020-01-01T00:00:00Z"]
            let silence = fallSilent(apple) { $0.uri.hasSuffix("paginationToken=p40") }
            let started = try StartedCommand(arguments, directory: installation.directory.url)
            _ = await silence.first { _ in true }
            let stopped = try await started.end(with: SIGTERM)
            #expect(stopped.errorText.hasPrefix("error: stopped: 2 pages: 40 added, 0 known, 0 refused\n"))
            apple.interpose(nil)
            let first = try #require(server.seen.first?.body)
            let before = server.seen.count
            let rest = try await Installation.offerd.run(arguments, directory: installation.directory.url)
            #expect(rest.errorText == "going on after 2 pages\n")
            #expect(rest.text == "60 notifications on 3 pages: 60 added, 0 known, 0 refused\n")
            let asked = server.seen.dropFirst(before)
            #expect(asked.map(\.uri) == ["/inApps/v1/notifications/history?paginationToken=p40"])
            #expect(asked.map(\.body) == [first], "the token is of that very question")
            #expect(try await installation.rows("notification") == 60)
        }
    }

    @Test("a page token that Apple does not take any more begins the range anew, and doubles nothing")
    func expiredToken() async throws {
        let apple = PlayedAppStore()
        try await apple.serve { server in
            let installation = try await self.installation(server)
            for id in 101...106 { apple.notifications += try customer(id, installation).notifications }
            apple.interpose { request, place in
                place == 1 && request.uri.contains("paginationToken") ? .error(4_000_017, "expired") : nil
            }
            let run = try await Installation.offerd.run(
                Self.arguments + ["--notifications", "--from", "2020-01-01T00:00:00Z"],
                directory: installation.directory.url)
            #expect(run.status == 0)
            #expect(
                run.errorText
                    == "beginning with the first page again: Apple does not take this page's token (4000017: expired)\n"
            )
            #expect(run.text == "24 notifications on 2 pages: 4 added, 20 known, 0 refused\n")
            #expect(try await installation.rows("notification") == 24)
        }
    }

    @Test(
        "a page token that Apple refuses each time ends the work after some beginnings, with what to do, and the state stays"
    )
    func refusedTokens() async throws {
        let apple = PlayedAppStore()
        try await apple.serve { server in
            let installation = try await self.installation(server)
            for id in 101...106 { apple.notifications += try customer(id, installation).notifications }
            apple.interpose { request, _ in
                request.uri.contains("paginationToken") ? .error(4_000_014, "Invalid token.") : nil
            }
            let arguments = Self.arguments + ["--notifications", "--from", "2020-01-01T00:00:00Z"]
            let run = try await Installation.offerd.run(arguments, directory: installation.directory.url)
            #expect(run.status == 1)
            let again =
                "beginning with the first page again: Apple does not take this page's token (4000014: Invalid token.)"
            #expect(
                run.errorText.split(separator: "\n").map(String.init) == [
                    again, again, again,
                    "error: Apple refuses the token of page 2, after 3 times from the first page: "
                        + "Apple does not take this page's token (4000014: Invalid token.)",
                    "hint: what was fetched is kept; fetch the rest in shorter ranges with `--from` and `--to`",
                    "hint: the same command tries it again",
                ])
            #expect(server.seen.count == 8, "four first pages, each with a second that was refused")
            #expect(try await installation.rows("notification") == 20)
            apple.interpose(nil)
            let rest = try await Installation.offerd.run(arguments, directory: installation.directory.url)
            #expect(rest.status == 0 && rest.errorText == "going on after 1 pages\n", "\(rest.errorText)")
            #expect(try await installation.rows("notification") == 24)
        }
    }

    @Test("an error that concerns all further work ends it with a hint, and the state stays")
    func unauthenticated() async throws {
        let apple = PlayedAppStore()
        try await apple.serve { server in
            let installation = try await self.installation(server)
            try installation.directory.write("101\n", to: "ids.txt")
            apple.interpose { _, _ in .answer(401, "") }
            let run = try await Installation.offerd.run(
                Self.arguments + ["--ids", "ids.txt"], directory: installation.directory.url)
            #expect(run.status == 1)
            #expect(run.errorText.hasPrefix("error: Apple does not accept the key `LOCALTEST1` for `com.example.pro`"))
            #expect(run.errorText.hasSuffix("hint: the same command goes on where it stopped\n"))
            #expect(FileManager.default.fileExists(atPath: installation.directory.path("ids.txt.backfill")))
        }
    }

    @Test("a run is told in the audit when it begins and when it has come to its end")
    func audit() async throws {
        let apple = PlayedAppStore()
        try await apple.serve { server in
            let installation = try await self.installation(server)
            apple.accounts = [PlayedAccount(of: try customer(101, installation))]
            try installation.directory.write("101\n102\n", to: "ids.txt")
            let run = try await Installation.offerd.run(
                Self.arguments + ["--ids", "ids.txt"], directory: installation.directory.url)
            #expect(run.status == 0, "\(run.errorText)")
            let told = try await installation.reading { transaction in
                try transaction.rows(
                    Statement(
                        "SELECT actor || ' ' || after_change FROM audit_event WHERE kind = 'import' ORDER BY sequence")
                ).map { try $0.value(0, as: String.self) }
            }
            let digest = try #require(
                Command.run("sha256sum", ["ids.txt"], directory: installation.directory.url).text.split(separator: " ")
                    .first)
            #expect(
                told
                    == [(0, 0), (2, 1)].map { done, refused in
                        "offerd backfill {\"done\":\(done),\"refused\":\(refused),\"source\":\"ids sha256:\(digest)\"}"
                    })
        }
    }
}

extension PlayedAccount {
    fileprivate init(of signed: SignedScenario) {
        self.init(
            transactions: signed.signedTransactions, renewalInfos: signed.signedRenewalInfo,
            appTransaction: signed.signedAppTransaction)
    }
}

extension Installation {
    /// The subscriptions of everybody who is stored.
    fileprivate func customers() async throws -> Set<String> {
        try await reading { transaction in
            Set(
                try transaction.rows(
                    Statement("SELECT value FROM customer_identifier WHERE kind = 'originalTransactionId'")
                ).map { try $0.value(0, as: String.self) })
        }
    }

    fileprivate func rows(_ table: String) async throws -> Int {
        try await reading { try $0.rows(Statement("SELECT 1 FROM \(table)")).count }
    }
}
