import OfferAPI
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Testing

@testable import OfferApplication

@Suite("Catalogs that are made ready once")
struct CompiledCatalogsTests {
    private struct Undone: Error {}

    private static func first(_ document: String) -> CatalogRevision {
        CatalogRevision(
            revision: 1, document: document, format: .yaml, digest: String(repeating: "ab", count: 32), actor: "key-1",
            message: nil, createdAt: Workbench.start)
    }

    @Test("one whose transaction is undone is not remembered: another document may take its number")
    func undone() async throws {
        let bench = try await Workbench(catalog: nil)
        let ledger = OfferStore.Ledger(bench.database, digest: OpenSSLDigest())
        let catalogs = CompiledCatalogs()
        let offers = { @Sendable (transaction: any StoreTransaction) -> [OfferId] in
            let number = try #require(try ScopeStore(transaction).number(of: Workbench.scope))
            return try catalogs.offersInForce(of: number, in: Workbench.scope, transaction).map(\.id)
        }
        let apply = { @Sendable (document: String, transaction: any StoreTransaction) in
            let number = try ScopeStore(transaction).findOrAdd(Workbench.scope)
            try CatalogStore(transaction).apply(Self.first(document), expected: 0, in: number)
        }
        await #expect(throws: Undone.self) {
            try await ledger.write(by: AuditAuthor(actor: "tests")) { transaction in
                try apply(TestCatalog.head + TestCatalog.comeback(), transaction)
                #expect(try offers(transaction) == ["comeback"])
                throw Undone()
            }
        }
        try await ledger.write(by: AuditAuthor(actor: "tests")) { transaction in
            try apply(
                TestCatalog.head + TestCatalog.comeback().replacing("id: comeback", with: "id: other"), transaction)
        }
        #expect(try await ledger.read { try offers($0) } == ["other"])
    }
}
