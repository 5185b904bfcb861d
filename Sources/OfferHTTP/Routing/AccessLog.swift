import HTTPTypes
import Hummingbird
import Logging
import OfferModel

/// Gives every answer its request id and every request one line in the log.
///
/// The line names the route's template, never the path as asked, the query, a header or a body: those may carry
/// customers' identifiers and tokens.
struct AccessLog: RouterMiddleware {
    func handle(
        _ request: Request, context: OfferContext, next: @concurrent (Request, OfferContext) async throws -> Response
    ) async throws -> Response {
        let clock = ContinuousClock()
        let start = clock.now
        var response = try await next(request, context)
        response.headers[.requestId] = context.requestId.description
        let (seconds, attoseconds) = (clock.now - start).components
        context.logger.info(
            "answered",
            metadata: [
                "http.method": .string(String(request.method.rawValue.prefix(16))),
                "http.route": .string(context.endpointPath ?? "none"),
                "http.status": .string(String(response.status.code)),
                "duration.us": .string(String(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)),
            ])
        return response
    }
}
