import HTTPTypes
import Hummingbird
import Logging
import Metrics
import OfferAPI
import OfferApplication
import OfferModel
import Synchronization

/// Notes about a request that are taken while it is answered, for its line in the log.
final class RequestNotes: Sendable {
    struct Content: Sendable {
        var caller: Caller?
        /// The key that a refused token names.
        var refusedKeyId: String?
        /// The app and environment of a call without a key.
        var scope: Scope?
        /// The decision that the answer reports.
        var decisionId: LowercaseUUID?
        var problem: ProblemCode?
    }

    private let content = Mutex(Content())

    var all: Content { content.withLock { $0 } }

    func note(_ change: (inout Content) -> Void) { content.withLock { change(&$0) } }
}

/// Gives every answer its request id and every request one line in the log and a place in the metrics.
///
/// The line names the route's template, never the path as asked, the query, a header or a body: those may carry
/// customers' identifiers and tokens. Of the headers it takes a valid `traceparent`, and the caller's address from a
/// trusted proxy.
struct AccessLog: RouterMiddleware {
    private let requests: MetricFamily<Counter>
    private let durations: MetricFamily<Timer>
    private let problems: MetricFamily<Counter>
    private let inProgress: RequestsInProgress
    private let proxies: TrustedProxies
    private let hasTLS: Bool

    init(
        _ metrics: any MetricsFactory, _ inProgress: RequestsInProgress, _ proxies: TrustedProxies, hasTLS: Bool
    ) {
        self.inProgress = inProgress
        self.proxies = proxies
        self.hasTLS = hasTLS
        requests = MetricFamily("offerd_http_requests_total", ["method", "route", "status"], metrics)
        durations = MetricFamily("offerd_http_request_duration_seconds", ["method", "route"], metrics)
        problems = MetricFamily("offerd_problems_total", ["code"], metrics)
    }

    func handle(
        _ request: Request, context: OfferContext, next: @concurrent (Request, OfferContext) async throws -> Response
    ) async throws -> Response {
        let clock = ContinuousClock()
        let start = clock.now
        inProgress.began()
        defer { inProgress.ended() }
        var context = context
        context.isEncrypted = hasTLS || proxies.isEncrypted(peer: context.address, headers: request.headers)
        context.isFromTrustedProxy = context.address.map(proxies.isTrusted) ?? false
        context.address = proxies.caller(peer: context.address, headers: request.headers)
        if let address = context.address { context.logger[metadataKey: "client"] = "\(address)" }
        if let trace = TraceParent(request.headers[values: .traceparent]) {
            context.logger[metadataKey: "trace.id"] = "\(trace.traceId)"
            context.logger[metadataKey: "trace.parent"] = "\(trace.parentId)"
        }
        var response = try await next(request, context)
        response.headers[.requestId] = context.requestId.description
        let (seconds, attoseconds) = (clock.now - start).components
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        // The framework has a word of its own for a path without a route.
        let route = context.endpointPath.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "none"
        let status = String(response.status.code)
        let notes = context.notes.all
        if let scope = notes.caller?.scope {
            response.headers[.scope] = "\(scope.bundleId)/\(scope.environment.rawValue)"
        }
        let method = Self.methods.contains(request.method) ? request.method.rawValue : "other"
        requests[method, route, status].increment()
        durations[method, route].recordNanoseconds(nanoseconds)
        if let problem = notes.problem { problems[problem.rawValue].increment() }
        var metadata = notes.metadata
        metadata["http.method"] = .string(String(request.method.rawValue.prefix(16)))
        metadata["http.route"] = .string(route)
        metadata["http.status"] = .stringConvertible(response.status.code)
        metadata["duration.us"] = .stringConvertible(nanoseconds / 1_000)
        context.logger.info("answered", metadata: metadata)
        return response
    }

    /// Those that clients of this API use; a label must not take whatever a client sends.
    private static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]
}

extension RequestNotes.Content {
    fileprivate var metadata: Logger.Metadata {
        // Room for those of the request too.
        var metadata = Logger.Metadata(minimumCapacity: 12)
        if let caller { metadata["role"] = .string(caller.role.rawValue) }
        if let keyId = caller?.apiKeyId ?? refusedKeyId { metadata["key.id"] = .string(keyId) }
        if let scope = caller?.scope ?? scope {
            metadata["app"] = .string(scope.bundleId.rawValue)
            metadata["environment"] = .string(scope.environment.rawValue)
        }
        if let decisionId { metadata["decision.id"] = .string(decisionId.description) }
        if let problem { metadata["problem"] = .string(problem.rawValue) }
        return metadata
    }
}

/// The trace that a request is part of: `traceparent` of W3C Trace Context, of version 00 or a later one.
struct TraceParent: Equatable {
    let traceId: String
    let parentId: String

    /// `nil` unless there is exactly one value, and it is valid.
    init?(_ values: [String]) {
        guard let value = values.first, values.count == 1, (55...512).contains(value.utf8.count) else { return nil }
        let parts = value.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, zip(parts, [2, 32, 16, 2]).allSatisfy({ Self.isHexadecimal($0, digits: $1) }),
            parts[0] != "ff", parts[0] != "00" || parts.count == 4,
            [parts[1], parts[2]].allSatisfy({ $0.utf8.contains { $0 != UInt8(ascii: "0") } })
        else { return nil }
        (traceId, parentId) = (String(parts[1]), String(parts[2]))
    }

    private static func isHexadecimal(_ text: Substring, digits: Int) -> Bool {
        text.utf8.count == digits && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
