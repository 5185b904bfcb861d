import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("offerd import transactions")
struct ImportCommandTests {
    private let installation: Installation
    private var directory: TemporaryDirectory { installation.directory }

    init() async throws {
        installation = try Installation(copying: try await Self.template.value)
    }

    private static let template = Task { try await Installation() }

    private static let options = [
        "--app", "com.example.pro", "--environment", "LocalTesting", "--config", "offerd.yaml",
    ]

    private func imports(_ file: String, _ more: String...) async throws -> Command {
        try await Installation.offerd.run(
            ["import", "transactions", file] + Self.options + more, directory: directory.url)
    }

    private static func line(_ id: Int, of original: Int, purchased: Int64 = 1_700_000_000_000) -> String {
        """
        {"transactionId":"\(id)","originalTransactionId":"\(original)","productId":"com.example.pro.monthly",\
        "subscriptionGroupIdentifier":"21500001","purchaseDate":\(purchased),"expiresDate":\(purchased + 2_592_000_000),\
        "customerId":"customer-\(original)"}
        """
    }

    private func rows(_ sql: String) async throws -> [String] { try await Self.rows(sql, installation) }

    /// What is said of customers whose last period is long over.
    private static func stale(_ count: Int) -> String {
        """
        customers: \(count)
          can be decided, as far as their subscriptions go: 0
          undetermined: \(count)
            historyStale, what followed the last period is not known: \(count)
          cannot be signed for before Apple's data of them arrives: \(count)

        """
    }

    @Test("the ids of customers who need Apple's data are listed as a backfill reads them, and the command is printed")
    func ids() async throws {
        try directory.write((1...3).map { Self.line($0, of: $0) }.joined(separator: "\n"), to: "e.jsonl")
        let done = try await imports("e.jsonl", "--ids", "ids.txt")
        #expect(done.status == 0, "\(done.errorText)")
        #expect(try String(contentsOfFile: directory.path("ids.txt"), encoding: .utf8) == "1\n2\n3\n")
        let command =
            "offerd backfill --ids ids.txt --app com.example.pro --environment LocalTesting --config offerd.yaml"
        #expect(done.errorText.hasPrefix("hint: `\(command)` fetches what Apple has signed\n"), "\(done.errorText)")
        let over = try await imports("e.jsonl", "--ids", "e.jsonl")
        #expect(over.status == 2)
        #expect(over.errorText.hasPrefix("error: `--ids e.jsonl` is the file that is imported\n"))
        let rehearsed = try await imports("e.jsonl", "--ids", "ids.txt", "--dry-run")
        #expect(rehearsed.status == 2)
    }

    @Test("a compressed table is imported like the table, and goes on where it was interrupted")
    func compressed() async throws {
        let rows = (1...2_500).map { "\($0);com.example.pro.monthly;21500001;1700000000;1702592000;active" }
        let header = "original_transaction_id;product_id;subscription_group_id;purchase_date;expires_at;status\r\n"
        let text = header + rows.joined(separator: "\r\n")
        let packed = try Command.run("gzip", ["-c"], input: Array(text.utf8))
        try directory.write(packed.output, to: "table.csv")
        let candidate = try Installation(copying: installation)
        let process = Process()
        process.executableURL = URL(filePath: Installation.offerd.path)
        process.arguments = ["import", "transactions", "table.csv", "--mapping", "subscriptions"] + Self.options
        process.currentDirectoryURL = candidate.directory.url
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        while process.isRunning, try await Self.progress(of: "lines", candidate) == 0 { await Task.yield() }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        let last = try await Installation.offerd.run(
            ["import", "transactions", "table.csv", "--mapping", "subscriptions"] + Self.options,
            directory: candidate.directory.url)
        #expect(last.status == 0, "\(last.errorText)")
        #expect(last.text.hasPrefix("read: 2500 lines, 0 refused\n"), "\(last.text)")
        let count = try await Self.rows("SELECT COUNT(*) FROM history_transaction", candidate)
        #expect(count == ["[OfferStore.StoredValue.integer(2500)]"], "\(count)")
    }

    @Test("a hostile file gets a line of the report for each bad line, and everything good in it is imported")
    func hostile() async throws {
        var file = Array("\u{FEFF}\(Self.line(1, of: 1))\r\n".utf8)
        let bad: [[UInt8]] = [
            [0xFF, 0xC0, 0x80], Array("{\"transactionId\":\"a\u{0}b\"}".utf8), [0], Array("{".utf8),
            Array(String(repeating: "[", count: 100_000).utf8), [UInt8](repeating: 0x7B, count: 10_000_000),
            Array(Self.line(3, of: 3, purchased: 1_700_000_000).utf8),
            Array(Self.line(4, of: 4).replacing("\"customerId\"", with: "\"environment\":\"Sandbox\",\"x\"").utf8),
            Array(Self.line(5, of: 5).replacing("\"customerId\"", with: "\"bundleId\":\"com.other\",\"x\"").utf8),
        ]
        for line in bad { file += line + [0x0A] }
        file += Array("\n   \n\(Self.line(2, of: 1))\n\(Self.line(2, of: 1))".utf8)
        try directory.write(file, to: "hostile.jsonl")

        let rehearsed = try await imports("hostile.jsonl", "--dry-run", "--refused", "dry.jsonl")
        #expect(rehearsed.status == 0, "\(rehearsed.errorText)")
        let tables = ["history_transaction", "import_run", "import_row", "customer"]
        for table in tables { #expect(try await rows("SELECT * FROM \(table)").isEmpty, "\(table)") }

        let done = try await imports("hostile.jsonl", "--refused", "refused.jsonl")
        #expect(done.status == 0, "\(done.errorText)")
        #expect(
            done.text == """
                read: 12 lines, 9 refused
                  implausibleDate: 1
                  malformed: 5
                  tooLong: 1
                  wrongApp: 1
                  wrongEnvironment: 1
                added: 2, updated: 0, unchanged: 0, repeated: 1
                subscriptions: 1
                \(Self.stale(1))
                """)
        #expect(
            rehearsed.text
                == done.text.replacing("added", with: "would be added").replacing(Self.stale(1), with: "")
                + "nothing was written\n")
        let refused = try String(contentsOfFile: directory.path("refused.jsonl"), encoding: .utf8)
        #expect(try refused == String(contentsOfFile: directory.path("dry.jsonl"), encoding: .utf8))
        let lines = try refused.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(lines.compactMap { $0["line"] as? Int } == Array(2...10))
        #expect(lines.last?["reason"] as? String == "wrongApp")
        let mode = try FileManager.default.attributesOfItem(atPath: directory.path("refused.jsonl"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        #expect(try await rows("SELECT transaction_id FROM history_transaction").count == 2)
    }

    @Test("the report of refused lines may be CSV, which another reader understands")
    func refusedCSV() async throws {
        try directory.write(
            "\(Self.line(1, of: 1))\n{\"transactionId\":\"2\",\"price\":\"a,\\\"b\"}\n", to: "e.jsonl")
        #expect(try await imports("e.jsonl", "--refused", "r.csv").status == 0)
        let judge = try Command.run(
            "python3",
            [
                "-c", "import csv, sys; print(list(csv.reader(open(sys.argv[1], newline=''))))",
                directory.path("r.csv"),
            ])
        #expect(
            judge.text.hasPrefix("[['line', 'reason', 'detail'], ['2', 'invalidValue', 'a transaction has no"),
            "\(judge.text)")
    }

    @Test("a file is another source where it is read in another format, however the format was told")
    func formats() async throws {
        try directory.write(
            "transactionId,originalTransactionId,productId,purchaseDate\n1,1,p,1700000000000", to: "e.csv")
        try FileManager.default.copyItem(atPath: directory.path("e.csv"), toPath: directory.path("e.jsonl"))
        _ = try await imports("e.csv")
        _ = try await imports("e.jsonl")
        _ = try await imports("e.jsonl", "--format", "csv")
        let digests = try await rows("SELECT digest FROM import_run ORDER BY id")
        #expect(digests.count == 3)
        #expect(digests[0] != digests[1] && digests[0] == digests[2])
    }

    @Test("a file in which every line is refused ends with 1, and shows the first few")
    func allRefused() async throws {
        try directory.write(String(repeating: "{}\n", count: 7), to: "e.jsonl")
        let run = try await imports("e.jsonl")
        #expect(run.status == 1)
        #expect(run.errorText.hasPrefix("line 1: malformed: "))
        #expect(run.errorText.contains("\nand 2 more\n"))
        #expect(run.errorText.hasSuffix("error: every line was refused, so nothing was imported\n"))
    }

    @Test("the same file again changes nothing, and `--complete` is told to the ledger, which stays provable")
    func again() async throws {
        let lines = (1...40).map { Self.line($0, of: $0 % 8 + 1) }.joined(separator: "\n")
        try directory.write(lines, to: "e.jsonl")
        #expect(try await imports("e.jsonl").text.contains("added: 40,"))
        let again = try await imports("e.jsonl", "--complete", "--exported-at", "2026-01-01T00:00:00Z")
        #expect(again.text.contains("added: 0, updated: 40, unchanged: 0"), "\(again.text)")
        #expect(
            again.text.contains("complete: stated of 8 customers as of 2026-01-01T00:00:00Z, which serves until"))
        let proven = try await Installation.offerd.run(
            ["verify-ledger", "--config", "offerd.yaml"], directory: directory.url)
        #expect(proven.status == 0, "\(proven.errorText)")
    }

    @Test("killed again and again while it stages and applies, it comes to the state of one run (invariant 7)")
    func killed() async throws {
        var generator = SeededGenerator(seed: 25)
        let count = 3_000
        let lines = (1...count).map { Self.line($0, of: $0 % 400 + 1) }.shuffled(using: &generator)
        try directory.write(lines.joined(separator: "\n"), to: "e.jsonl")
        let whole = try Installation(copying: installation)

        let broken = try await killedInEachStage(&generator)
        let last = try await Installation.offerd.run(
            ["import", "transactions", "e.jsonl"] + Self.options, directory: broken.directory.url)
        #expect(last.status == 0, "\(last.errorText)")
        #expect(
            last.text
                == "read: 3000 lines, 0 refused\nadded: 3000, updated: 0, unchanged: 0, repeated: 0\nsubscriptions: 400\n"
                + Self.stale(400)
        )

        let once = try await Installation.offerd.run(
            ["import", "transactions", "e.jsonl"] + Self.options, directory: whole.directory.url)
        #expect(once.text == last.text)
        for sql in [
            "SELECT payload, provenance FROM history_transaction ORDER BY transaction_id",
            "SELECT kind, value, customer_id FROM customer_alias ORDER BY value",
            "SELECT kind, value, is_proven, customer_id FROM customer_identifier ORDER BY value",
        ] {
            let expected = try await Self.rows(sql, whole)
            #expect(try await Self.rows(sql, broken) == expected, "\(sql)")
        }
        let proven = try await Installation.offerd.run(
            ["verify-ledger", "--config", "offerd.yaml"], directory: broken.directory.url)
        #expect(proven.status == 0, "\(proven.errorText)")
    }

    /// An installation in which the import was killed while it staged and while it applied. Where one came to its end
    /// before it was killed, which is the machine's doing, another begins anew.
    private func killedInEachStage(_ generator: inout SeededGenerator) async throws -> Installation {
        struct NeverInTime: Error {}
        attempts: for _ in 0..<50 {
            let candidate = try Installation(copying: installation)
            var stages: Set<String> = []
            for (column, most) in [("lines", 2_000), ("applied", 2_000), ("applied", 2_500)] {
                let already = try await Self.progress(of: column, candidate)
                let goal = already + Int.random(in: 1...max(1, (most - already) / 2), using: &generator)
                let process = Process()
                process.executableURL = URL(filePath: Installation.offerd.path)
                process.arguments = ["import", "transactions", "e.jsonl"] + Self.options
                process.currentDirectoryURL = candidate.directory.url
                process.standardOutput = FileHandle.nullDevice
                process.standardError = FileHandle.nullDevice
                try process.run()
                while process.isRunning, try await Self.progress(of: column, candidate) < goal { await Task.yield() }
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                let open = try await Self.rows("SELECT stage FROM import_run WHERE closed_at IS NULL", candidate)
                if open.isEmpty { continue attempts }
                stages.formUnion(open)
            }
            if ["staging", "applying"].allSatisfy({ stage in stages.contains { $0.contains("\"\(stage)\"") } }) {
                return candidate
            }
        }
        throw NeverInTime()
    }

    private static func progress(of column: String, _ installation: Installation) async throws -> Int {
        try await installation.reading { transaction in
            try transaction.row(Statement("SELECT \(column) FROM import_run ORDER BY id DESC LIMIT 1"))?.value(0) ?? 0
        }
    }

    private static func rows(_ sql: String, _ installation: Installation) async throws -> [String] {
        try await installation.reading { transaction in
            try transaction.rows(Statement(sql)).map { "\($0.values)" }
        }
    }
}
