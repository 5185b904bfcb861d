import Foundation
import OfferCatalog
import OfferModel

/// The outcome of validating a catalog file, as people and as machines read it.
struct CatalogValidation {
    private let file: String
    private let catalog: Catalog?
    private let errors: [DocumentIssue]
    private let warnings: [DocumentIssue]

    init(_ bytes: [UInt8], file: String) {
        self.file = file
        do {
            let document = try CatalogReader.read(bytes)
            catalog = document.value
            errors = []
            warnings = document.warnings
        } catch {
            catalog = nil
            errors = error.errors
            warnings = error.warnings
        }
    }

    var isValid: Bool { catalog != nil }

    /// `ok: 4 offers, 2 products`; `nil` for an invalid catalog.
    var summary: String? {
        guard let catalog, let products else { return nil }
        return "ok: \(Self.count(catalog.offers.count, "offer")), \(Self.count(products, "product"))"
    }

    /// The lines of errors, then of warnings.
    var messages: [String] {
        errors.flatMap { IssueText.lines($0, severity: .error, file: file) }
            + warnings.flatMap { IssueText.lines($0, severity: .warning, file: file) }
    }

    private var products: Int? {
        catalog?.subscriptionGroups.map(\.products.count).reduce(0, +)
    }

    /// `{"valid", "offers", "products", "errors": […], "warnings": […]}`, issues as the HTTP API reports them.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let report = Report(
            valid: isValid, offers: catalog?.offers.count, products: products, errors: errors.map(Report.Issue.init),
            warnings: warnings.map(Report.Issue.init))
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }

    private struct Report: Encodable {
        let valid: Bool
        let offers: Int?
        let products: Int?
        let errors: [Issue]
        let warnings: [Issue]

        struct Issue: Encodable {
            let path: String
            let line: Int
            let column: Int
            let code: DocumentIssueCode
            let detail: String
            let hint: String?

            init(_ issue: DocumentIssue) {
                path = issue.path
                line = issue.line
                column = issue.column
                code = issue.code
                detail = issue.detail
                hint = issue.hint
            }
        }
    }
}
