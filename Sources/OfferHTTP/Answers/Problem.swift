package import HTTPTypes
package import Hummingbird
package import OfferAPI
import OfferApplication
package import OfferModel
import OfferSigning

/// A request that ends in a problem document (RFC 9457).
package struct Problem: Error {
    /// The content; ``body(instance:requestId:)`` adds the request.
    package var document: ProblemBody
    package var headers = HTTPFields()

    package init(_ code: ProblemCode, _ detail: String, hint: String? = nil, errors: [ProblemErrorBody]? = nil) {
        document = ProblemBody(code: code, detail: detail, hint: hint, instance: "", requestId: "")
        document.errors = errors
        // Every one of these says when to ask again; ``retry(after:)`` where more than a second is known.
        if [429, 503].contains(document.status) { headers[.retryAfter] = "1" }
    }

    func body(instance: String, requestId: LowercaseUUID) -> ProblemBody {
        var body = document
        body.instance = String(instance.prefix(1_024))
        body.requestId = requestId.description
        return body
    }

    /// An internal failure; the log names it, the answer does not.
    static let `internal` = Problem(
        .internal, "the request could not be answered", hint: "tell the operator the requestId")

    static let busy = Problem(.busy, "too much work is waiting", hint: "ask again in a second")

    static func notFound(path: String) -> Problem {
        Problem(.notFound, "there is nothing at `\(path.prefix(200))`", hint: "`/openapi.yaml` lists every path")
    }

    /// Why a request has no caller.
    package enum MissingKey: String {
        case none = "the request carries no API key"
        case notABearer = "the `Authorization` header is not of the form `Bearer TOKEN`"
        case unknown = "the API key is unknown, expired or revoked"
    }

    package static func unauthenticated(_ reason: MissingKey) -> Problem {
        Problem(
            .unauthenticated, reason.rawValue,
            hint:
                "send `Authorization: Bearer offerd_<role>_<live|test>_<id>_<secret>`; `offerd api-keys create` makes a key"
        ).with(.wwwAuthenticate, "Bearer")
    }

    package static func forbidden(role: Role, needed: [Role]) -> Problem {
        let roles = needed.isEmpty ? "" : needed.map { "`\($0.rawValue)`" }.joined(separator: ", ") + " or "
        return Problem(
            .forbidden, "the API key has the role `\(role.rawValue)`",
            hint: "this call needs the role \(roles)`admin`")
    }

    static func forbidden(
        role: Role, members: [String], hint: String = "what-if members need the role `support`, `marketing` or `admin`"
    ) -> Problem {
        Problem(
            .forbidden,
            "the API key has the role `\(role.rawValue)`, which may not send "
                + members.map { "`\($0)`" }.joined(separator: ", "),
            hint: hint)
    }

    static func tooLarge(limit: Int) -> Problem {
        Problem(.tooLarge, "the body is larger than \(limit) bytes", hint: "send less at once")
            .with(.connection, "close")
    }

    static func invalidRequest(_ errors: [ProblemErrorBody]) -> Problem {
        let first = errors.first
        let place = first?.pointer.map { $0.isEmpty ? "the body" : "`\($0)`" } ?? first?.path.map { "`\($0)`" }
        let rest = errors.count > 1 ? " (and \(errors.count - 1) more)" : ""
        let detail = [place, first?.detail].compactMap { $0 }.joined(separator: ": ")
        return Problem(.invalidRequest, detail + rest, hint: first?.hint, errors: errors)
    }

    /// The same, saying after how many seconds asking again may help.
    func retry(after seconds: Int) -> Problem { with(.retryAfter, String(seconds)) }

    func with(_ name: HTTPField.Name, _ value: String) -> Problem {
        var problem = self
        problem.headers[name] = value
        return problem
    }

    /// A request that came too fast, with the fields of draft-ietf-httpapi-ratelimit-headers.
    static func rateLimited(_ rejected: RateLimited) -> Problem {
        let (policy, limit, wait) = (rejected.policy.rawValue, rejected.limit, rejected.secondsToWait)
        let (detail, hint) =
            switch rejected.policy {
            case .key:
                ("the API key makes too many requests", "`rateLimits.key` in offerd.yaml sets how many it may make")
            case .customer:
                (
                    "there are too many requests about this customer",
                    "ask about a customer when something has changed; `rateLimits.customer` in offerd.yaml sets how often"
                )
            case .address:
                (
                    "too many requests with `app` keys come from this address",
                    "`rateLimits.address` in offerd.yaml sets how many it may make, and `trustedProxies` whose address counts"
                )
            case .refusals:
                (
                    "too many different requests of this customer were refused",
                    "ask again when something has changed; a request that was refused before gets the same answer"
                )
            case .simulations:
                (
                    "the API key has begun too many simulations",
                    "a result is kept for a day: `GET /v1/simulations/{id}` shows it again"
                )
            case .authentication:
                (
                    "too many requests with an unknown API key came from this address",
                    "check the token; a valid one is accepted at once"
                )
            }
        return Problem(.rateLimited, detail, hint: "retry in \(wait) s; \(hint)").retry(after: wait)
            .with(.rateLimitPolicy, "\"\(policy)\";q=\(limit.burst);w=\(limit.window)")
            .with(.rateLimit, "\"\(policy)\";r=0;t=\(wait)")
    }

    /// The App Store Server API gave no usable answer: `busy` where a retry may help,
    /// `not-ready` where the operator must fix something first.
    init(_ failure: AppStoreFailure) {
        self = Problem(failure.isTransient ? .busy : .notReady, failure.detail, hint: failure.hint)
            .retry(after: failure.secondsToWait)
    }

    /// None of the App Store Server API's data could be verified, so none was stored.
    static func appStoreDataRefused(_ refused: [RefusedData]) -> Problem {
        let first = refused.first.map { ": \($0.refusal.detail)" } ?? ""
        return Problem(
            .signedDataRefused, "none of Apple's data could be verified\(first)",
            hint: "check that `bundleId`, `appAppleId` and the environment in keys.yaml are the app's",
            // The data is in Apple's answer and not in the request, so a path names it.
            errors: refused.map {
                ProblemErrorBody(path: $0.pointer, code: $0.refusal.code.rawValue, detail: $0.refusal.detail)
            })
    }
}

extension Response {
    static func json(
        _ body: some WireValue, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        bytes(try WireJSON.encode(body), MediaType.json.rawValue, status: status, headers: headers)
    }

    package static func bytes(
        _ body: [UInt8], _ type: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = type
        return Response(
            status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}
