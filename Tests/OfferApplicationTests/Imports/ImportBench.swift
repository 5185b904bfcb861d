import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto

/// A source whose lines are there already; a place in it is the number of lines before it.
final class ListedSource: ImportSource {
    struct Gone: Error {}

    private let lines: [Result<ImportedHistory, ImportRefusal>]
    private var place = 0
    /// After so many lines the source cannot be read any more.
    var breaksAfter = Int.max
    private(set) var read = 0

    init(_ lines: [Result<ImportedHistory, ImportRefusal>]) {
        self.lines = lines
    }

    convenience init(_ histories: [ImportedHistory]) {
        self.init(histories.map { .success($0) })
    }

    var size: Int64 { Int64(lines.count) }

    func resume(at position: Int64, after lines: Int64) throws {
        place = Int(position)
    }

    func next() throws -> ImportLine? {
        guard place < lines.count else { return nil }
        guard read < breaksAfter else { throw Gone() }
        read += 1
        place += 1
        return ImportLine(number: Int64(place), end: Int64(place), content: lines[place - 1])
    }
}

/// A database file that imports go into.
struct ImportBench {
    static let scope = Scope(bundleId: "com.example.pro", environment: .localTesting)
    static let now = Instant(milliseconds: 1_793_491_200_123)
    let directory: TemporaryDirectory
    let database: any DatabaseDriver

    init() throws {
        directory = try TemporaryDirectory()
        database = try TestStore(in: directory).open()
    }

    static let terms = ImportTerms(
        source: "transactions", provenance: .operator, digest: [UInt8](repeating: 1, count: 32))

    static func terms(_ change: (inout ImportTerms) -> Void) -> ImportTerms {
        var terms = terms
        change(&terms)
        return terms
    }

    /// An importer as a process of its own has it.
    func importer(
        over database: (any StoreDatabase)? = nil, pace: HistoryImport.Pace = .init(lines: 7, payloads: 5, rest: .zero)
    ) -> HistoryImport {
        HistoryImport(
            ledger: OfferStore.Ledger(database ?? self.database, digest: OpenSSLDigest()), scope: Self.scope,
            author: AuditAuthor(actor: "offerd import transactions"), pace: pace, clock: { Self.now })
    }

    @discardableResult
    func run(_ histories: [ImportedHistory], _ terms: ImportTerms = terms) async throws -> ImportReport {
        try await importer().run(ListedSource(histories), terms)
    }

    /// The first step of discarding, after which the process is gone.
    func abandon() async throws {
        try await OfferStore.Ledger(database, digest: OpenSSLDigest()).write(by: AuditAuthor(actor: "tests")) {
            transaction in
            let scope = try ScopeStore(transaction).findOrAdd(Self.scope)
            guard let run = try ImportStore(transaction).open(source: "transactions", in: scope) else { return }
            try ImportStore(transaction).abandon(run)
        }
    }

    func keep(_ payloads: [HistoryPayload]) async throws {
        _ = try await OfferStore.Ledger(database, digest: OpenSSLDigest()).write(by: AuditAuthor(actor: "tests")) {
            transaction in
            let scope = try ScopeStore(transaction).findOrAdd(Self.scope)
            return try HistoryStore(transaction).ingest(payloads, at: Self.now, in: scope)
        }
    }

    func texts(_ sql: String) async throws -> [String] {
        try await database.read { transaction in
            try transaction.rows(Statement(sql)).map { row in
                row.values.map { value in
                    switch value {
                    case .null: "-"
                    case .integer(let number): String(number)
                    case .text(let text): text
                    case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
                    }
                }.joined(separator: " ")
            }
        }
    }

    func count(_ table: String) async throws -> String? {
        try await texts("SELECT COUNT(*) FROM \(table)").first
    }

    /// Everything that an import leaves, without the store's own numbers.
    func state() async throws -> [[String]] {
        let name = """
            (SELECT group_concat(value, '+') FROM (SELECT value FROM customer_identifier
                WHERE customer_id = c.id ORDER BY value) AS ordered)
            """
        return [
            try await texts(
                "SELECT provenance, payload FROM history_transaction ORDER BY payload"),
            try await texts("SELECT provenance, payload FROM history_renewal_info ORDER BY payload"),
            try await texts("SELECT provenance, payload FROM history_app_transaction ORDER BY payload"),
            try await texts("SELECT \(name) AS name FROM customer c WHERE merged_into IS NULL ORDER BY name"),
            try await texts(
                """
                SELECT \(name) AS name, a.kind, a.value FROM customer_alias a JOIN customer c ON c.id = a.customer_id
                WHERE c.merged_into IS NULL ORDER BY name, a.kind, a.value
                """),
            try await texts(
                """
                SELECT original_transaction_id, offer_type, offer_identifier, transaction_id, first_evidence, provenance
                FROM redemption ORDER BY original_transaction_id, first_evidence, offer_type, offer_identifier
                """),
            try await texts(
                """
                SELECT offer_type, offer_identifier, product_id, amount FROM redemption_counter WHERE amount > 0
                ORDER BY offer_type, offer_identifier, product_id
                """),
            try await texts(
                """
                SELECT \(name) AS name, v.is_complete, v.as_of FROM coverage v JOIN customer c ON c.id = v.customer_id
                ORDER BY name
                """),
            try await texts("SELECT COUNT(*) FROM import_row"),
        ]
    }
}

/// Purchases of some people, as an export may have them.
struct RandomExport {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// Lines in the order of people.
    mutating func lines(people: Int) -> [ImportedHistory] {
        var lines: [ImportedHistory] = []
        for person in 0..<people {
            let original = TransactionId("\(1_000 + Int.random(in: 0..<9, using: &generator) * 1_000 + person)")
            // Some share a name, and some an Apple Account that nobody has proven.
            let name = CustomerId("customer-\(Int.random(in: 0..<people, using: &generator))")
            let account = Bool.random(using: &generator) ? AppTransactionId("A\(person / 2)") : nil
            for period in 0..<Int.random(in: 1...6, using: &generator) {
                lines.append(line(original, period, name, account))
                if Int.random(in: 0..<5, using: &generator) == 0 {
                    lines.append(lines.randomElement(using: &generator) ?? line(original, period, name, account))
                }
            }
        }
        return lines
    }

    mutating func shuffled(_ lines: [ImportedHistory]) -> [ImportedHistory] {
        lines.shuffled(using: &generator)
    }

    mutating func number(below end: Int) -> Int { Int.random(in: 0..<end, using: &generator) }

    private mutating func line(
        _ original: TransactionId, _ period: Int, _ name: CustomerId, _ account: AppTransactionId?
    ) -> ImportedHistory {
        let purchased = ImportBench.now.adding(months: -12 + period)
        let offer = Int.random(in: 0..<4, using: &generator) == 0
        let isRevoked = Int.random(in: 0..<8, using: &generator) == 0
        let transaction = Transaction.fixture(
            period == 0 ? original : TransactionId("\(original)\(period)"), original: original, purchased: purchased
        ) {
            $0.appTransactionId = account
            if offer { ($0.offerType, $0.offerIdentifier, $0.offerPeriod) = (.promotional, "half50", "P1M") }
            if isRevoked {
                $0.revocationDate = purchased.adding(milliseconds: 5_000)
                $0.signedDate = purchased.adding(milliseconds: 6_000)
            }
        }
        let info = RenewalInfo.fixture(original, signed: purchased.adding(milliseconds: 2_000)) {
            $0.autoRenewStatus = isRevoked ? .off : .on
        }
        return ImportedHistory(
            transactions: [transaction], renewalInfos: Bool.random(using: &generator) ? [info] : [], customerId: name)
    }
}
