import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferDocuments

/// `/v1/catalog`: the document marketing writes.
struct CatalogController: Sendable {
    let useCases: UseCases
    let limits: HTTPLimits

    /// `GET`: the document as it was applied; in the other notation if the client asks for that.
    @Sendable func show(_ request: Request, _ context: CallerContext) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        let document = try await useCases.catalogs.current(caller: context.caller)
        let type = MediaType.preferred(request, default: MediaType(document.format))
        let headers: HTTPFields = [.eTag: RevisionTag.text(document.revision), .vary: "Accept"]
        guard !RevisionTag.isKnown(document.revision, to: request) else {
            return Response(status: .notModified, headers: headers)
        }
        let text =
            MediaType(document.format) == type
            ? document.text : try await useCases.shares.catalogs.run { try document.text(as: type) }
        return .bytes(Array(text.utf8), type.rawValue, headers: headers)
    }

    /// `PUT`: applies a document made from the revision in `If-Match`, or reports its changes.
    @Sendable func apply(_ request: Request, _ context: CallerContext) async throws -> Response {
        var query = try QueryParameters(request, known: ["dryRun", "message"])
        let isDryRun = query.flag("dryRun") ?? false
        let message = query.text("message", maximum: RequestRules.messageLength)
        try query.finish()
        guard let type = try MediaType.ofBody(request) else {
            throw Problem.unsupportedMediaType(of: request, expected: [.yaml, .json])
        }
        let revision = try RevisionTag.expected(by: request)
        let bytes = try await request.bytes(upTo: limits.catalogBytes)
        let document = try text(of: bytes)
        let applied = try await useCases.catalogs.apply(
            document, format: type == .json ? .json : .yaml,
            expectedRevision: revision, message: message, dryRun: isDryRun, caller: context.caller)
        return try .json(
            applied, headers: isDryRun ? [:] : [.eTag: RevisionTag.text(applied.revision)])
    }

    /// `GET …/revisions`: who applied what, newest first.
    @Sendable func revisions(_ request: Request, _ context: CallerContext) async throws -> Response {
        var query = try QueryParameters(request, known: ["limit", "cursor"])
        let limit = query.limit()
        let before = query.cursor("cursor", of: .revisions)
        try query.finish()
        return try .json(try await useCases.catalogs.page(before: before, limit: limit, caller: context.caller))
    }

    /// `GET …/revisions/{n}`: one of them, with its document.
    @Sendable func revision(_ request: Request, _ context: CallerContext) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        let text = try context.pathText("n")
        guard let number = Int(text), number > 0 else { throw RequestError.unknownRevision(text) }
        return try .json(try await useCases.catalogs.revision(number, caller: context.caller))
    }

    private func text(of bytes: [UInt8]) throws(RequestFault) -> String {
        guard !bytes.isEmpty else {
            throw RequestFault(.root, .invalidLength, "the body is empty", hint: "send the catalog as YAML or JSON")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw RequestFault(.root, .invalidValue, "the body is not UTF-8")
        }
        return text
    }
}

extension MediaType {
    init(_ format: CatalogDocument.Format) { self = format == .json ? .json : .yaml }
}

extension CatalogDocument {
    /// The document rewritten in the other of the two notations.
    ///
    /// - Throws: ``InvalidDocument`` if a document applied by an older version is no longer accepted.
    func text(as type: MediaType) throws -> String {
        guard !text.isEmpty else { return type == .json ? "{}\n" : "" }
        let catalog = try CatalogReader.read(text).value
        return type == .json ? CatalogWriter.json(catalog) : CatalogWriter.yaml(catalog)
    }
}

/// A catalog revision as an entity tag: `"3"`.
enum RevisionTag {
    static func text(_ revision: Int) -> String { "\"\(revision)\"" }

    /// Whether the client has that revision.
    static func isKnown(_ revision: Int, to request: Request) -> Bool {
        request.knows(text(revision))
    }

    /// The revision a change was made from, by `If-Match`.
    ///
    /// - Throws: ``Problem`` `if-match-required`; ``RequestFault`` if the header is not one strong tag of ours.
    static func expected(by request: Request) throws -> Int {
        let values = request.headers[values: .ifMatch]
        guard let value = values.first else {
            throw Problem(
                .ifMatchRequired, "the request does not say which revision it changes",
                hint: "send the `ETag` of `GET /v1/catalog` as `If-Match`; the empty catalog is `\"0\"`")
        }
        let digits = value.dropFirst().dropLast()
        guard values.count == 1, value.count >= 3, value.first == "\"", value.last == "\"", digits.utf8.count <= 18,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let revision = Int(digits)
        else {
            throw RequestFault(
                path: "header.If-Match", .invalidHeader, "`\(value.prefix(100))` is not the tag of one revision",
                hint: "write the revision in quotes, such as `\"3\"`")
        }
        return revision
    }
}
