import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Testing

/// A workbench whose configuration has a key for digests, so that customers may be erased.
struct ErasingBench: Sendable {
    static let digestKey = OpenSSLDigest().keyed(by: Array("a secret of the tests".utf8), name: "0123456789abcdef")

    let bench: Workbench
    let data: PersonalData
    /// The application of a server with that key.
    let useCases: UseCases

    init(catalog: String = TestCatalog.yaml) async throws {
        self.init(on: try await Workbench(catalog: catalog))
    }

    init(on bench: Workbench) {
        self.bench = bench
        let clock = bench.clock
        data = PersonalData(
            ledger: OfferStore.Ledger(bench.database, digest: OpenSSLDigest(), key: Self.digestKey),
            digestKey: Self.digestKey, author: AuditAuthor(actor: "tests"), clock: { clock.now })
        useCases = Self.useCases(bench, over: bench.database)
    }

    private static func useCases(_ bench: Workbench, over database: any StoreDatabase) -> UseCases {
        let clock = bench.clock
        return UseCases(
            registry: bench.registry, database: database, digest: OpenSSLDigest(), random: OpenSSLRandom(),
            digestKey: Self.digestKey, clock: { clock.now })
    }

    /// The same over another way to the data.
    func useCases(over database: any StoreDatabase) -> UseCases {
        Self.useCases(bench, over: database)
    }

    @discardableResult
    func erase(_ person: CustomerIdentifiers) async throws -> ErasureOutcome {
        try await bench.checkLedger()
        let before = try await bench.ledger().artefacts
        let outcome = try await data.erase(person, in: Workbench.scope, reason: "request 4711")
        bench.forget(Set(before).subtracting(try await bench.ledger().artefacts))
        try await bench.checkLedger()
        return outcome
    }

    func deliver(_ delivery: SignedDelivery, as person: CustomerIdentifiers = CustomerIdentifiers()) async throws {
        _ = try await useCases.ingestion.ingest(delivery, aliases: person, caller: Workbench.client)
        try await bench.checkLedger()
    }

    func ask(_ order: IssueRequest) async throws -> IssueAnswer {
        let answer = try await useCases.issuing.issue(order, caller: Workbench.client)
        bench.note(answer)
        return answer
    }

    /// Proves the ledger as `offerd verify-ledger` does.
    func verify() async throws {
        let verification = LedgerVerification(digest: OpenSSLDigest(), key: Self.digestKey, judge: nil)
        _ = try await bench.database.read { try verification.verify($0) }
    }

    /// What the decisions hold, in their order.
    func records() async throws -> [StoredValue] {
        try await bench.database.read { transaction in
            try transaction.rows(Statement("SELECT record FROM decision ORDER BY sequence")).flatMap(\.values)
        }
    }
}

extension StoredValue {
    /// Whether this is what an erasure or retention leaves.
    var isRemoved: Bool {
        switch self {
        case .text(let text): text.hasPrefix(Redacted.prefix)
        case .blob(let bytes): bytes.starts(with: Redacted.prefix.utf8)
        case .null, .integer: false
        }
    }

    /// The record that this is.
    var record: DecisionRecord {
        get throws {
            guard case .blob(let bytes) = self else { throw StoreError.corrupt("no record") }
            return try DecisionRecord(stored: bytes)
        }
    }
}
