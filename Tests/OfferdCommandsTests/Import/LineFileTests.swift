import AppStoreData
import CommandLineSupport
import Foundation
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import SQLiteStore
import Testing

@testable import OfferdCommands

@Suite("A file that is imported and changes meanwhile")
struct LineFileTests {
    private static let scope = Scope(bundleId: "com.example.pro", environment: .localTesting)
    private static let now = Instant(milliseconds: 1_793_491_200_123)
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// More than is read at once: 3,000 purchases of one subscription each.
    private static let lines = (1...3_000).map { id in
        """
        {"transactionId":"\(id)","originalTransactionId":"\(id)","productId":"com.example.pro.monthly",\
        "subscriptionGroupIdentifier":"21500001","purchaseDate":1700000000000,"expiresDate":1702592000000}

        """
    }

    private func file(_ path: String) throws -> LineFile {
        try LineFile(path: path, what: "file", longestLine: 1_000)
    }

    private func terms(of path: String) throws -> ImportTerms {
        ImportTerms(source: "transactions", provenance: .operator, digest: try file(path).digest(with: []))
    }

    private func source(_ path: String) throws -> JSONLinesSource {
        try JSONLinesSource(file(path), reader: PurchaseReader(scope: Self.scope, exportedAt: nil))
    }

    private func makeDatabase() throws -> SQLiteDatabase {
        let store = directory.path("offers.sqlite")
        try SQLiteDatabase.migrate(path: store)
        return try SQLiteDatabase(path: store)
    }

    private func imports(into database: SQLiteDatabase) -> HistoryImport {
        HistoryImport(
            ledger: Ledger(database, digest: OpenSSLDigest()), scope: Self.scope, author: AuditAuthor(actor: "tests"),
            pace: .init(lines: 100, rest: .zero), clock: { Self.now })
    }

    @Test("has not come to its end where it became shorter", arguments: [0, 300_000])
    func shorter(_ length: Int) throws {
        let path = try directory.write(Self.lines.joined(), to: "e.jsonl")
        let file = try file(path)
        #expect(try file.next()?.number == 1)
        try #require(truncate(path, length) == 0)
        let failure = #expect(throws: CommandFailure.self) { while try file.next() != nil {} }
        #expect(failure?.status.rawValue == 1)
        #expect(failure?.message == "`\(path)` had \(file.size) bytes when it was opened and has \(length) now")
        #expect(failure?.hints.first?.contains("the same command again") == true)
        #expect(throws: CommandFailure.self) { try file.digest(with: []) }
    }

    @Test("ends the import where it became shorter, which goes on once the file is whole again (invariant 7)")
    func resumed() async throws {
        let whole = Self.lines.joined()
        let path = try directory.write(whole, to: "e.jsonl")
        let database = try makeDatabase()
        defer { try? database.close() }
        let imports = imports(into: database)
        let terms = try terms(of: path)
        await #expect(throws: CommandFailure.self) {
            _ = try await imports.run(source(path), terms, progress: { _ in truncate(path, 300_000) })
        }
        let left = try await database.read { transaction in
            let number = try #require(try ScopeStore(transaction).number(of: Self.scope))
            return try ImportStore(transaction).open(source: "transactions", in: number)
        }
        let open = try #require(left)
        #expect(open.stage == .staging && open.counts.lines > 0 && open.counts.lines < 3_000)
        try directory.write(whole, to: "e.jsonl")
        let report = try await imports.run(source(path), terms)
        #expect(report.isResumed && report.counts.added == 3_000 && report.counts.repeated == 0)
    }

    /// Writes over a file without giving it another name or identity.
    private func overwrite(_ path: String, with text: String) throws {
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    /// A file that was written a day ago: its time tells of whatever is written now.
    private func writeEarlier(_ text: String) throws -> String {
        let path = try directory.write(text, to: "e.jsonl")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -86_400)], ofItemAtPath: path)
        return path
    }

    @Test("is refused at its end where it was written over, and nothing of it is applied", arguments: ["", "\n\n"])
    func rewritten(_ more: String) async throws {
        let path = try writeEarlier(Self.lines.joined())
        let database = try makeDatabase()
        defer { try? database.close() }
        let imports = imports(into: database)
        let lines = try file(path)
        let terms = ImportTerms(source: "transactions", provenance: .operator, digest: try lines.digest(with: []))
        let source = try JSONLinesSource(lines, reader: PurchaseReader(scope: Self.scope, exportedAt: nil))
        let other = Self.lines.joined().replacing(".monthly", with: ".another") + more
        let failure = await #expect(throws: CommandFailure.self) {
            _ = try await imports.run(source, terms, progress: { _ in try? overwrite(path, with: other) })
        }
        #expect(failure?.status.rawValue == 1)
        #expect(failure?.message == "`\(path)` was written to while it was read, so nothing of it is imported")
        #expect(failure?.hints.first?.contains("`--discard`") == true)
        let applied = try await database.read {
            try $0.rows(Statement("SELECT sequence FROM history_transaction")).count
        }
        #expect(applied == 0)
    }

    @Test("leaves nothing of what it was written over with, once it is as it was and the import goes on (invariant 7)")
    func putBack() async throws {
        let whole = Self.lines.joined()
        let path = try writeEarlier(whole)
        let database = try makeDatabase()
        defer { try? database.close() }
        let imports = imports(into: database)
        let terms = try terms(of: path)
        await #expect(throws: CommandFailure.self) {
            _ = try await imports.run(
                source(path), terms,
                progress: { _ in try? overwrite(path, with: whole.replacing(".monthly", with: ".another")) })
        }
        try overwrite(path, with: whole)
        let report = try await imports.run(source(path), terms)
        #expect(report.isResumed && report.counts.added == 3_000)
        let products = try await database.read {
            try $0.rows(Statement("SELECT DISTINCT CAST(payload AS TEXT) ->> '$.productId' FROM history_transaction"))
                .map {
                    try $0.value(0, as: String.self)
                }
        }
        #expect(products == ["com.example.pro.monthly"])
    }

    @Test("is not taken for the answers of the same length that were there when the import began")
    func receiptsRewritten() throws {
        let path = try writeEarlier(#"{"status":21000}"#)
        let file = try #require(try ReceiptFile.all(at: [path]).first)
        _ = try file.open()
        try overwrite(path, with: #"{"status":21002}"#)
        let failure = #expect(throws: CommandFailure.self) { try file.open() }
        #expect(failure?.message == "`\(path)` was written to while it was read, so nothing of it is imported")
    }

    @Test("is not taken for the answers that were there when the import began", arguments: [-1, 1])
    func receipts(_ change: Int) throws {
        let text = String(repeating: "{}\n", count: 10)
        let path = try directory.write(text, to: "e.jsonl")
        let file = try #require(try ReceiptFile.all(at: [path]).first)
        try directory.write(String(repeating: "{}\n", count: 10 + change), to: "e.jsonl")
        let failure = #expect(throws: CommandFailure.self) { try file.open() }
        #expect(failure?.message == "`\(path)` had 30 bytes when it was opened and has \(30 + 3 * change) now")
    }
}
