import CommandLineSupport
import NIOHTTP1
import OfferAPI
import OfferDocuments
import OfferModel

struct CatalogFile {
    static let yaml = "application/yaml"
    static let json = "application/json"

    var bytes: [UInt8]
    var mediaType: String

    /// The document as this version of offerctl reads it; `nil` where it cannot.
    ///
    /// What the server accepted and this version cannot read is only shown in less detail.
    var document: ValidDocument<Catalog>? { try? read() }

    private func read() throws(InvalidDocument) -> ValidDocument<Catalog> {
        try CatalogReader.read(bytes, isJSON: mediaType == Self.json, at: .wallClock)
    }

    /// Prints what the reader finds odd but valid; errors are left to the server, which judges documents.
    func noteWarnings(file: String) {
        IssueText.lines(document?.warnings ?? [], severity: .warning, file: file)
            .forEach { Console.note($0.printable) }
    }

    static func mediaType(_ path: String) -> String {
        isJSON(path) ? json : yaml
    }

    static func isJSON(_ path: String) -> Bool { path.lowercased().hasSuffix(".json") }
}

extension CatalogFile {
    init(reading path: String) throws(CommandFailure) {
        self.init(bytes: try InputFile.bytes(path), mediaType: Self.mediaType(path))
    }

    /// A document that is not meant to be applied, checked before it is sent; its warnings are printed.
    init(checking path: String) throws(CommandFailure) {
        try self.init(reading: path)
        let validation = ReadDocument(path, read)
        guard validation.value != nil else { throw CommandFailure(.failed, lines: validation.messages) }
        noteWarnings(file: path)
    }
}

/// Where an exported file comes from: the comment in its first line.
struct CatalogOrigin: Hashable {
    var revision: Int
    /// `nil` where the server did not say it.
    var scope: Scope?

    var comment: String {
        "# revision \(revision)\(scope.map { " of \($0)" } ?? ""), exported by offerctl"
    }
}

extension CatalogOrigin {
    /// Reads the comment back; `nil` for a document without it.
    init?(_ document: [UInt8]) {
        let line = String(decoding: document.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard
            let match = line.wholeMatch(of: #/# revision (\d+)(?: of (\S+) in (\S+))?, exported by offerctl\r?/#),
            let revision = Int(match.output.1), revision > 0
        else { return nil }
        self.revision = revision
        if let app = match.output.2, let environment = match.output.3.map(String.init) {
            guard let environment = AppStoreEnvironment(rawValue: environment) else { return nil }
            scope = Scope(bundleId: BundleId(String(app)), environment: environment)
        }
    }

    static func removed(from document: [UInt8]) -> [UInt8] {
        guard CatalogOrigin(document) != nil else { return document }
        return Array(document.drop { $0 != UInt8(ascii: "\n") }.dropFirst())
    }
}

struct CatalogInForce {
    /// The entity tag: the revision in quotes. Changes are made from it, with `If-Match`.
    var tag: String
    var document: [UInt8]

    /// The document as this version of offerctl reads it; `nil` where it cannot.
    var catalog: Catalog? { (try? CatalogReader.read(document))?.value }

    /// 0 before the first catalog, `nil` if the tag is not of that form.
    var revision: Int? { Int(tag.dropFirst().dropLast()) }

    /// Whether the file is this text: the comment of an export is not part of it.
    func isSameText(as file: CatalogFile) -> Bool {
        CatalogOrigin.removed(from: document) == CatalogOrigin.removed(from: file.bytes)
    }
}

extension OfferdClient {
    /// Puts a document in force, or only asks what that would change.
    ///
    /// A file that differs only by the comment of its export counts as the text in force.
    func put(
        _ file: CatalogFile, from base: CatalogInForce, isPlan: Bool = false, message: String? = nil
    ) async throws -> Reply<CatalogApplied> {
        try await call(
            .PUT, "/v1/catalog", query: queryItems(("dryRun", isPlan ? "true" : nil), ("message", message)),
            headers: [("If-Match", base.tag), ("Content-Type", file.mediaType)],
            body: base.isSameText(as: file) ? base.document : file.bytes, as: CatalogApplied.self)
    }

    func revision(_ number: Int) async throws -> Reply<AppliedRevision> {
        try await call(.GET, "/v1/catalog/revisions/\(number)", as: AppliedRevision.self)
    }
}

extension AppliedRevision {
    var file: CatalogFile {
        CatalogFile(
            bytes: Array((document ?? "").utf8), mediaType: format == "json" ? CatalogFile.json : CatalogFile.yaml)
    }
}

/// A document that the command line names, read as far as it can be.
struct ReadDocument<Value: Sendable> {
    let file: String
    private(set) var value: Value?
    private(set) var errors: [DocumentIssue] = []
    private(set) var warnings: [DocumentIssue] = []
    private(set) var unreadable: CommandFailure?

    init(_ file: String, _ read: () throws -> ValidDocument<Value>) {
        self.file = file
        do {
            let document = try read()
            (value, warnings) = (document.value, document.warnings)
        } catch let invalid as InvalidDocument {
            (errors, warnings) = (invalid.errors, invalid.warnings)
        } catch {
            unreadable = error as? CommandFailure ?? CommandFailure(.usage, "`\(file)` cannot be read")
        }
    }

    var errorMessages: [String] {
        (unreadable?.lines ?? []) + IssueText.lines(errors, file: file)
    }

    var messages: [String] {
        errorMessages + IssueText.lines(warnings, severity: .warning, file: file)
    }
}

// The outcome of validating a catalog, for people and for programs.
extension ReadDocument<Catalog> {
    /// `ok: 4 offers, 2 products`; `nil` for an invalid catalog.
    var summary: String? {
        value.map { "ok: \($0.offers.count.counted("offer")), \(Self.products($0).counted("product"))" }
    }

    private static func products(_ catalog: Catalog) -> Int {
        catalog.subscriptionGroups.map(\.products.count).reduce(catalog.otherProducts.count, +)
    }

    func json() throws -> String {
        try CatalogReport(
            valid: value != nil, offers: value?.offers.count, products: value.map(Self.products),
            errors: errors.map { ProblemErrorBody($0) }, warnings: warnings.map { ProblemErrorBody($0) }
        ).jsonText()
    }
}

private struct CatalogReport: WireObject {
    var valid = false
    var offers: Int?
    var products: Int?
    var errors: [ProblemErrorBody] = []
    var warnings: [ProblemErrorBody] = []

    mutating func visit(_ members: inout some MemberVisitor) {
        members.required("errors", &errors)
        members.optional("offers", &offers)
        members.optional("products", &products)
        members.required("valid", &valid)
        members.required("warnings", &warnings)
    }
}

extension ProblemErrorBody {
    init(_ issue: DocumentIssue) {
        self.init(
            path: issue.path, line: issue.line, column: issue.column, code: issue.code.rawValue, detail: issue.detail,
            hint: issue.hint)
    }
}
