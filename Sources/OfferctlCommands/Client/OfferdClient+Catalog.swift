import NIOHTTP1
import OfferAPI

extension OfferdClient {
    /// What putting a document in force would change; nothing is written.
    ///
    /// - Parameter tag: the catalog that the document was made from.
    /// - Throws: `Refusal` for a problem document, `CommandFailure` if no offerd answers.
    func plan(_ file: CatalogFile, from tag: String) async throws -> Reply<CatalogAppliedBody> {
        try await put(file, from: tag, query: [("dryRun", "true")])
    }

    /// Puts a document in force.
    ///
    /// - Parameters:
    ///   - tag: the catalog that the document was made from; another one in force is a refusal.
    ///   - message: why, for the list of revisions.
    /// - Throws: `Refusal` for a problem document, `CommandFailure` if no offerd answers.
    func apply(_ file: CatalogFile, from tag: String, message: String?) async throws -> Reply<CatalogAppliedBody> {
        try await put(file, from: tag, query: message.map { [("message", $0)] } ?? [])
    }

    /// One revision with its document.
    ///
    /// - Throws: `Refusal` for a problem document, `CommandFailure` if no offerd answers.
    func revision(_ number: Int) async throws -> Reply<CatalogRevisionBody> {
        try await call(.GET, "/v1/catalog/revisions/\(number)", as: CatalogRevisionBody.self)
    }

    private func put(
        _ file: CatalogFile, from tag: String, query: [(String, String)]
    ) async throws -> Reply<CatalogAppliedBody> {
        try await call(
            .PUT, "/v1/catalog", query: query, headers: [("If-Match", tag), ("Content-Type", file.mediaType)],
            body: file.bytes, as: CatalogAppliedBody.self)
    }
}

extension CatalogRevisionBody {
    /// The document as it was applied.
    var file: CatalogFile {
        CatalogFile(
            bytes: Array((document ?? "").utf8), mediaType: format == "json" ? CatalogFile.json : CatalogFile.yaml)
    }
}
