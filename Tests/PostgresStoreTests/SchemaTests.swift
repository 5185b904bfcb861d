import OfferTestSupport
import Testing

@testable import PostgresStore

@Suite("The schema of PostgreSQL")
struct SchemaTests {
    @Test("it is Tests/Goldens/postgres.sql")
    func golden() throws {
        let text = PostgresSchema.steps.map { "-- \($0.name)\n\($0.sql)\n" }.joined()
        #expect(try Golden("postgres.sql").difference(from: text) == nil)
    }
}
