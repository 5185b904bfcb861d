import HTTPTypes
import Hummingbird
import OfferApplication

/// Finds out who calls, from the `Authorization` header.
struct Authentication: RouterMiddleware {
    let apiKeys: APIKeys

    func handle(
        _ request: Request, context: OfferContext, next: @concurrent (Request, OfferContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        guard let token = try Self.token(of: request) else { throw Problem.unauthenticated(tokenWasGiven: false) }
        guard let caller = try await apiKeys.caller(forToken: token) else {
            throw Problem.unauthenticated(tokenWasGiven: true)
        }
        context.caller = caller
        return try await next(request, context)
    }

    /// The bearer token; `nil` if no credentials are given.
    private static func token(of request: Request) throws -> String? {
        let values = request.headers[values: .authorization]
        guard let value = values.first else { return nil }
        // By bytes: by characters it takes longer than to find the key.
        let words = value.utf8.split(separator: UInt8(ascii: " "))
        guard values.count == 1, words.count == 2, Substring(words[0]).lowercased() == "bearer" else {
            throw Problem.unauthenticated(tokenWasGiven: true)
        }
        return String(Substring(words[1]))
    }
}
