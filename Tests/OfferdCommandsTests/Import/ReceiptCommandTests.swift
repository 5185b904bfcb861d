import AsyncHTTPClient
import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("offerd import receipts")
struct ReceiptCommandTests {
    private let installation: Installation
    private var directory: TemporaryDirectory { installation.directory }

    init() async throws {
        installation = try Installation(copying: try await Self.template.value)
    }

    private static let template = Task { try await Installation() }

    private func imports(_ paths: String..., to installation: Installation? = nil) async throws -> Command {
        try await Installation.offerd.run(
            ["import", "receipts"] + paths + [
                "--app", "com.example.pro", "--environment", "LocalTesting", "--config", "offerd.yaml",
            ], directory: (installation ?? self.installation).directory.url)
    }

    private func states(
        of id: TransactionId, at instants: [Instant], in installation: Installation? = nil
    ) async throws -> [SubscriptionState] {
        try await (installation ?? self.installation).reading { transaction in
            let scope = try #require(
                try ScopeStore(transaction).number(of: Scope(bundleId: "com.example.pro", environment: .localTesting)))
            let customers = try CustomerStore(transaction).customers(proven: [.originalTransactionId(id)], in: scope)
            let history = try HistoryStore(transaction).history(of: customers)
            return instants.flatMap { history.subscriptionStates(at: $0) }
        }
    }

    private func rows(_ sql: String) async throws -> [String] {
        try await installation.reading { transaction in
            try transaction.rows(Statement(sql)).map { "\($0.values)" }
        }
    }

    private static func example(_ name: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Examples/receipts")
        return try String(contentsOf: root.appending(path: name), encoding: .utf8)
    }

    private static let graceEnds = Instant(milliseconds: 1_560_260_639_000)

    @Test("the receipt of the article on grace periods gives access until its grace period ends, and no longer")
    func grace() async throws {
        try directory.write(try Self.example("grace.json"), to: "grace.json")
        let done = try await imports("grace.json")
        #expect(done.status == 0, "\(done.errorText)")
        let last = Self.graceEnds.adding(milliseconds: -1)
        let states = try await states(of: "580000296512323", at: [last, Self.graceEnds])
        #expect(states.map(\.hasAccess) == [true, nil])
        #expect(states.first?.name == .inGracePeriod)
        #expect(states.first?.accessEnds == Self.graceEnds)
        #expect(states.first?.provenance == .receipt)
        #expect(states.last?.resolution == .undetermined(.historyStale))

        let server = try await RunningServer.start(installation)
        let token = try installation.token(.support)
        for (at, verdict) in [(last, "satisfied"), (Self.graceEnds, "undetermined")] {
            let answer = try await server.ask(
                "POST", "/v1/decisions", token: token, body: try Self.question(at: at), client: HTTPClient.shared)
            let decision = try #require((answer.json["decisions"] as? [[String: Any]])?.first, "\(answer.json)")
            let findings = try #require(decision["findings"] as? [[String: Any]])
            let rule = findings.first { $0["rule"] as? String == "rule.eligibility" }
            #expect(rule?["verdict"] as? String == verdict, "at \(at)")
            #expect(decision["outcome"] as? String == "undetermined", "nothing of theirs is signed by Apple")
        }
        #expect(await server.stop() == 0)
    }

    private static func question(at instant: Instant) throws -> String {
        let catalog = TestCatalog.yaml.replacing("com.example.pro.monthly", with: "com.products.monthly")
            .replacing("\"21500001\"", with: "\"20480000\"").replacing("in: [expired]", with: "in: [inGracePeriod]")
        let body: [String: Any] = [
            "customer": ["originalTransactionId": "580000296512323"], "asOf": instant.milliseconds, "catalog": catalog,
        ]
        return String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
    }

    private static func answer(_ id: Int, expires: Int64 = 1_706_745_600_000, offer: String = "") -> String {
        """
        {"status":0,"environment":"LocalTesting","receipt":{"bundle_id":"com.example.pro",\
        "request_date_ms":"1706745700000","in_app":[]},"latest_receipt_info":[{"product_id":"com.example.pro.monthly",\
        "transaction_id":"\(id)","original_transaction_id":"\(id)","purchase_date_ms":"1704067200000",\
        "expires_date_ms":"\(expires)","subscription_group_identifier":"21500001"\(offer)}],"pending_renewal_info":[\
        {"product_id":"com.example.pro.monthly","auto_renew_product_id":"com.example.pro.monthly",\
        "original_transaction_id":"\(id)","auto_renew_status":"0","expiration_intent":"1",\
        "is_in_billing_retry_period":"0"}]}
        """
    }

    @Test("files, lines of files and folders are read alike, and the same again changes nothing")
    func again() async throws {
        try directory.write(Self.answer(1), to: "one.json")
        try FileManager.default.createDirectory(atPath: directory.path("folder"), withIntermediateDirectories: false)
        try directory.write(Self.answer(2).replacing(",", with: ",\n"), to: "folder/b.json")
        let wrapped = """
            {"customerId":"anna","appAccountToken":"0E1F2A3B-4C5D-4E6F-8A9B-0C1D2E3F4A5B","receipt":\(Self.answer(4))}
            """
        try directory.write("\(Self.answer(3))\r\n\n\(wrapped)", to: "folder/a.jsonl")
        try directory.write("no receipt", to: "folder/notes.txt")
        let report = """
            read: 4 lines, 0 refused
            added: 8, updated: 0, unchanged: 0, repeated: 0
            subscriptions: 4
            customers: 4
              can be decided, as far as their subscriptions go: 4
              undetermined: 0
              cannot be signed for before Apple's data of them arrives: 4

            """
        let done = try await imports("one.json", "folder")
        #expect(done.status == 0, "\(done.errorText)")
        #expect(done.text == report)
        let tables = ["history_transaction", "history_renewal_info", "customer_identifier", "customer_alias"]
        var before: [[String]] = []
        for table in tables { before.append(try await rows("SELECT * FROM \(table) ORDER BY 1, 2, 3")) }
        #expect(before.map(\.count) == [4, 4, 4, 2])
        #expect(
            before.last?.allSatisfy { $0.contains("anna") || $0.contains("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b") }
                == true)

        let again = try await imports("one.json", "folder")
        #expect(
            again.text == report.replacing("added: 8", with: "added: 0").replacing("unchanged: 0", with: "unchanged: 8")
        )
        for (table, rows) in zip(tables, before) {
            #expect(try await self.rows("SELECT * FROM \(table) ORDER BY 1, 2, 3") == rows, "\(table)")
        }
        #expect(try await rows("SELECT DISTINCT provenance, is_proven FROM history_transaction").count == 1)
        let proven = try await Installation.offerd.run(
            ["verify-ledger", "--config", "offerd.yaml"], directory: directory.url)
        #expect(proven.status == 0, "\(proven.errorText)")
    }

    private static func notification(_ id: Int) -> String {
        """
        {"notification_type":"DID_RENEW","environment":"LocalTesting","bid":"com.example.pro","password":"secret",\
        "unified_receipt":{"environment":"LocalTesting","status":0,"latest_receipt":"MII","latest_receipt_info":[\
        {"product_id":"com.example.pro.monthly","transaction_id":"\(id)","original_transaction_id":"\(id)",\
        "purchase_date_ms":"1704067200000","expires_date_ms":"1706745600000",\
        "subscription_group_identifier":"21500001"}],"pending_renewal_info":[{"product_id":"com.example.pro.monthly",\
        "auto_renew_product_id":"com.example.pro.monthly","original_transaction_id":"\(id)","auto_renew_status":"0"}]}}
        """
    }

    @Test("an archive of version-1 notifications is imported, compressed or not, wrapped or not, whatever its name")
    func notifications() async throws {
        let lines = (1...3_000).map { id in
            id % 3 == 0
                ? #"{"customerId":"c\#(id)","requestDate":1704844800000,"receipt":\#(Self.notification(id))}"#
                : Self.notification(id)
        }
        let packed = try Command.run("gzip", ["-c"], input: Array(lines.prefix(2_000).joined(separator: "\n").utf8))
        try directory.write(packed.output, to: "first.json")
        try directory.write(lines.dropFirst(2_000).joined(separator: "\r\n") + "\r\n", to: "second.json")
        try directory.write(Self.notification(4_000).replacing(",", with: ",\n"), to: "third.json")
        let done = try await imports("first.json", "second.json", "third.json")
        #expect(done.status == 0, "\(done.errorText)")
        #expect(done.text.hasPrefix("read: 3001 lines, 0 refused\nadded: 6002, updated: 0"), "\(done.text)")
        #expect(done.text.contains("customers: 3001\n  can be decided, as far as their subscriptions go: 3001\n"))
        let at = Instant(milliseconds: 1_706_745_600_000)
        let states = try await states(of: "4000", at: [at.adding(milliseconds: -1), at])
        #expect(states.map(\.name) == [.subscribed, .expired])
        #expect(try await rows("SELECT COUNT(*) FROM customer_alias") == ["[OfferStore.StoredValue.integer(1000)]"])
    }

    @Test("Apple's signed data of the same purchase counts, before the receipt or after it (invariant 7)")
    func signedWins() async throws {
        let id = Installation.originalTransactionId(1)
        let signed = try installation.lapsedCustomer(1)
        // The receipt says what is not so: that the subscription was bought with an offer, and runs for ever.
        let receipt = Self.answer(7_000_001, expires: 4_092_647_115_000, offer: #","promotional_offer_id":"x""#)
            .replacing("4092647115000", with: "\(Int64(Date().timeIntervalSince1970 * 1_000) + 86_400_000_000)")
        let other = try Installation(copying: installation)
        let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        try await deliver(signed, to: installation)
        try installation.directory.write(receipt, to: "r.json")
        #expect(try await imports("r.json").status == 0)
        try other.directory.write(receipt, to: "r.json")
        #expect(try await imports("r.json", to: other).status == 0)
        #expect(try await states(of: TransactionId(id), at: [now], in: other).map(\.name) == [.subscribed])
        try await deliver(signed, to: other)

        let first = try await states(of: TransactionId(id), at: [now])
        let second = try await states(of: TransactionId(id), at: [now], in: other)
        #expect(first.map(\.name) == [.expired])
        #expect(first == second)
        #expect(first.first?.provenance == .client)
        #expect(first.first?.transaction?.offerIdentifier == nil)
    }

    private func deliver(_ members: String, to installation: Installation) async throws {
        let server = try await RunningServer.start(installation)
        let answer = try await server.ask(
            "POST", "/v1/transactions", token: try installation.token(.client), body: "{\(members)}",
            client: HTTPClient.shared)
        #expect(answer.status == 200, "\(answer.json)")
        #expect(await server.stop() == 0)
    }
}
