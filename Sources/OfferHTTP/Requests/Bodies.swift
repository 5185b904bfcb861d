import HTTPTypes
package import Hummingbird
import NIOCore
import OfferAPI
import OfferApplication
import Synchronization

extension Request {
    /// The body as a JSON request whose values are accepted.
    ///
    /// Never inlined: Swift 6.3 crashes when it optimises an asynchronous caller with this within.
    ///
    /// - Throws: ``Problem`` `unsupported-media-type` or `too-large`, ``RequestFault``.
    @inline(never)
    func decode<Body: CheckedRequest>(
        _ type: Body.Type, upTo limit: Int, by context: CallerContext
    ) async throws -> Body {
        let body = try WireJSON.decodeRequest(
            type, from: try await jsonBytes(upTo: limit), values: HTTPLimits.values(inBody: limit))
        try body.check(by: context.caller.role)
        return body
    }

    /// The bytes of a body that says it is JSON.
    ///
    /// - Throws: ``Problem`` `unsupported-media-type` or `too-large`, and as ``bytes(upTo:)`` does.
    func jsonBytes(upTo limit: Int) async throws -> [UInt8] {
        guard try MediaType.ofBody(self) == .json else {
            throw Problem.unsupportedMediaType(of: self, expected: [.json])
        }
        return try await bytes(upTo: limit)
    }

    /// The body's bytes. One that is too large is read on to a bound, because its sender may not read before it has
    /// written all.
    ///
    /// - Throws: ``Problem`` `too-large`, or `invalid-request` if the body breaks off or is framed wrongly.
    package func bytes(upTo limit: Int) async throws -> [UInt8] {
        // What says that it is too large need not be read: it is drained after the answer.
        guard !withholdsBody, bodyLength(atMost: .max) ?? 0 <= limit else { throw Problem.tooLarge(limit: limit) }
        var bytes = [UInt8]()
        var length = 0
        do {
            for try await buffer in body {
                length += buffer.readableBytes
                if length <= limit { bytes.append(contentsOf: buffer.readableBytesView) }
                if length > UnreadBodies.bound { break }
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch let error as LateBody {
            throw Problem.late("body", after: error.patience)
        } catch {
            throw Problem(
                .invalidRequest, "the body cannot be read to its end", hint: "check `Content-Length` and the chunks"
            ).with(.connection, "close")
        }
        guard length <= limit else { throw Problem.tooLarge(limit: limit) }
        return bytes
    }
}

extension Problem {
    static func unsupportedMediaType(of request: Request, expected: [MediaType]) -> Problem {
        let sent = request.headers[.contentType]
        return Problem(
            .unsupportedMediaType,
            sent.map { "the body is `\($0.prefix(100))`" } ?? "the request does not say what its body is",
            hint: "send `Content-Type: " + expected.map(\.rawValue).joined(separator: "` or `") + "`")
    }
}

/// Drains a body that the answer did not need.
///
/// Many clients write their whole request before they read; left unread, a large body would keep them from seeing a 401
/// or 413 (invariant 10). Others wait for the answer before they send the body. At most ``bound`` bytes are drained.
struct UnreadBodies: RouterMiddleware {
    static let bound = 16 * 1_024 * 1_024
    /// The longest answer that goes out before the body is drained, in bytes; those to a refused request are shorter.
    private static let atOnce = 64 * 1_024
    /// The longest body of a request without a key that is drained at once, in bytes.
    private static let strangersAtOnce = 64 * 1_024

    let pace: SpacedTurns

    func handle(
        _ request: Request, context: OfferContext,
        next: @concurrent (Request, OfferContext) async throws -> Response
    ) async throws -> Response {
        guard request.announcesBody else { return try await next(request, context) }
        guard !request.withholdsBody else {
            var response = try await next(request, context)
            response.headers[.connection] = "close"
            return response
        }
        var request = request
        let body = WatchedBody(base: request.body)
        request.body = RequestBody(asyncSequence: body)
        var response = try await next(request, context)
        guard !body.isStarted else { return response }
        let answer = response.body
        // Until a body is read it can be late, which would cut off an answer that takes long to send.
        guard let length = answer.contentLength, length <= Self.atOnce else {
            await body.drain(upTo: Self.bound)
            return response
        }
        let isPaced =
            context.notes.all.caller == nil
            && request.bodyLength(atMost: Self.bound) ?? Self.bound > Self.strangersAtOnce
        response.body = ResponseBody(contentLength: length) { writer in
            try await answer.write(DrainingWriter(base: writer, body: body, pace: isPaced ? pace : nil))
        }
        return response
    }

    /// Writes the answer, and ends it when the body is drained: until then the request is in progress, and a server
    /// that stops waits for it.
    private struct DrainingWriter: ResponseBodyWriter {
        var base: any ResponseBodyWriter
        let body: WatchedBody
        let pace: SpacedTurns?

        @concurrent mutating func write(_ buffer: ByteBuffer) async throws { try await base.write(buffer) }

        @concurrent consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
            await body.drain(upTo: UnreadBodies.bound, pace)
            try await base.finish(trailingHeaders)
        }
    }
}

/// A body that knows whether its reading has begun.
private final class WatchedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    private let base: RequestBody
    private let started = Atomic(false)

    init(base: RequestBody) {
        self.base = base
    }

    var isStarted: Bool { started.load(ordering: .relaxed) }

    func makeAsyncIterator() -> RequestBody.AsyncIterator {
        started.store(true, ordering: .relaxed)
        return base.makeAsyncIterator()
    }

    /// Errors do not matter: the answer is already given.
    ///
    /// - Parameter pace: takes a turn of it before the first byte, and for each further MiB.
    func drain(upTo bound: Int, _ pace: SpacedTurns? = nil) async {
        var (rest, untilTurn) = (bound, 0)
        do {
            for try await buffer in base {
                if untilTurn <= 0 {
                    await pace?.turn()
                    untilTurn = 1_024 * 1_024
                }
                untilTurn -= buffer.readableBytes
                rest -= buffer.readableBytes
                guard rest > 0 else { return }
            }
        } catch {}
    }
}
