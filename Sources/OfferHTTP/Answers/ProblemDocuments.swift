import HTTPTypes
import Hummingbird
import Logging
import OfferAPI
import OfferApplication

/// Turns every thrown error into a problem document, the framework's empty 404 included (invariant 10).
struct ProblemDocuments: RouterMiddleware {
    let routes: RouteTable
    /// The turns of clients that may be anyone and send too much: one that asks again and again without waiting waits
    /// all the same, and the server does something else meanwhile.
    let pace: SpacedTurns
    private let failures = StoreFailures()

    init(routes: RouteTable, pace: SpacedTurns) { (self.routes, self.pace) = (routes, pace) }

    func handle(
        _ request: Request, context: OfferContext, next: @concurrent (Request, OfferContext) async throws -> Response
    ) async throws -> Response {
        do {
            guard !request.uri.path.hasEmptySegment else {
                return try answer(.notFound(path: request.uri.path), request, context)
            }
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            return try unmatched(request, context)
        } catch {
            if (error as? RequestError)?.mayBeAnyones == true { await pace.turn() }
            return try answer(problem(for: error, context), request, context)
        }
    }

    /// No route has this path and method; another method may.
    private func unmatched(_ request: Request, _ context: OfferContext) throws -> Response {
        let path = request.uri.path
        let allowed = routes.methods(at: path)
        guard !allowed.isEmpty else { return try answer(.notFound(path: path), request, context) }
        let allow = allowed.map(\.rawValue).joined(separator: ", ")
        guard request.method != .options else {
            return Response(status: .noContent, headers: [.allow: allow])
        }
        let problem = Problem(
            .methodNotAllowed, "`\(path)` does not take `\(request.method.rawValue.prefix(16))`",
            hint: "it takes \(allow)")
        return try answer(problem.with(.allow, allow), request, context)
    }

    private func problem(for error: any Error, _ context: OfferContext) -> Problem {
        if let problem = Problem(error) { return problem }
        if error is CancellationError {
            context.logger.info("the request was abandoned")
            return .busy
        }
        guard let problem = RequestError(storeFailure: error).flatMap(Problem.init) else {
            context.logger.error(
                "the request failed unexpectedly",
                metadata: ["error": "\(error)", "error.type": "\(type(of: error))"])
            return .internal
        }
        if let report = failures.report(error) {
            context.logger.error(
                "requests fail, because the database cannot be used",
                metadata: [
                    "error": "\(report.detail)", "hint": "\(report.hint ?? "")",
                    "requests": .stringConvertible(report.requests),
                ])
        }
        return problem
    }

    private func answer(_ problem: Problem, _ request: Request, _ context: OfferContext) throws -> Response {
        let body = problem.body(instance: request.uri.path, requestId: context.requestId)
        // A decision of an attempt that came to nothing is none.
        context.notes.note { ($0.decisionId, $0.problem) = (nil, body.code) }
        var response: Response
        if let page = routes.page(of: body, request, context) {
            response = page
            for field in problem.headers { response.headers[field.name] = field.value }
        } else {
            response = .bytes(
                try WireJSON.encode(body), ProblemBody.mediaType, status: HTTPResponse.Status(code: body.status),
                headers: problem.headers)
        }
        return request.method == .head ? response.createHeadResponse() : response
    }
}

extension RequestError {
    /// Whether it refuses one of too many requests that need no secret to be sent.
    fileprivate var mayBeAnyones: Bool {
        switch self {
        case .tooManyStrangers: true
        case .rateLimited(let rejected): rejected.policy == .address || rejected.policy == .authentication
        default: false
        }
    }
}

extension String {
    /// Whether a path has an empty segment, as a missing id leaves it. The router would skip it:
    /// `/v1/offers//pause` would pause every offer.
    fileprivate var hasEmptySegment: Bool {
        var last: UInt8 = 0
        for byte in utf8 {
            if byte == UInt8(ascii: "/"), last == byte { return true }
            last = byte
        }
        return last == UInt8(ascii: "/") && utf8.count > 1
    }
}
