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
        let values = request.headers[values: .authorization]
        guard !values.isEmpty else { throw Problem.unauthenticated(tokenWasGiven: false) }
        // What is no bearer token is a failed attempt, as is an empty one.
        let token = Self.token(in: values) ?? ""
        guard let caller = try await apiKeys.caller(forToken: token, from: context.peer) else {
            throw Problem.unauthenticated(tokenWasGiven: true)
        }
        context.caller = caller
        return try await next(request, context)
    }

    /// The bearer token; `nil` if the header is not that of one.
    private static func token(in values: [String]) -> String? {
        guard let value = values.first, values.count == 1 else { return nil }
        // By bytes: by characters it takes longer than to find the key.
        let words = value.utf8.split(separator: UInt8(ascii: " "))
        guard words.count == 2, Substring(words[0]).lowercased() == "bearer" else { return nil }
        return String(Substring(words[1]))
    }
}
