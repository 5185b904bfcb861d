import OfferModel
import Testing

@testable import OfferDocuments

@Suite struct CatalogDocumentationTests {
    private func rows(_ heading: String) throws -> [String] {
        let text = String(decoding: try Fixture.repository("docs/catalog.md"), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let section = lines.drop { $0 != "## \(heading)" }.dropFirst().prefix { !$0.hasPrefix("## ") }
        return section.filter { $0.hasPrefix("| `") }.compactMap { line in
            line.split(separator: "`", omittingEmptySubsequences: false).dropFirst().first.map(String.init)
        }
    }

    @Test("the documentation lists every error code, once, and no other")
    func codes() throws {
        #expect(try rows("Errors and warnings").sorted() == DocumentIssueCode.allCases.map(\.rawValue).sorted())
    }

    @Test("the documentation lists every operator, and no other")
    func operators() throws {
        #expect(try rows("Operators") == ComparisonOperator.allCases.map(\.rawValue))
    }

    @Test("the documentation lists every key of an offer")
    func keys() throws {
        #expect(try rows("An offer").sorted() == OfferReader.keys.sorted())
    }
}
