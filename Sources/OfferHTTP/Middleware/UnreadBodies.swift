import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Reads what is left of a body when the answer does not depend on it.
///
/// Many clients write their whole request before they read; left unread, a large body would keep them from ever seeing
/// a 401 or 413 (invariant 10). What goes beyond the bound is not read.
struct UnreadBodies: RouterMiddleware {
    /// The most bytes that are read to no use.
    static let bound = 16 * 1_024 * 1_024

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
        let response = try await next(request, context)
        await body.drain(upTo: Self.bound)
        return response
    }
}

/// A body that knows whether it is read to its end.
private final class WatchedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    private let base: RequestBody
    private let isStarted = Mutex(false)

    init(base: RequestBody) {
        self.base = base
    }

    func makeAsyncIterator() -> RequestBody.AsyncIterator {
        isStarted.withLock { $0 = true }
        return base.makeAsyncIterator()
    }

    /// Reads a body nobody has begun to read. What goes wrong meanwhile concerns nobody: the answer is made.
    func drain(upTo bound: Int) async {
        guard isStarted.withLock({ isStarted in !isStarted }) else { return }
        var rest = bound
        do {
            for try await buffer in base {
                rest -= buffer.readableBytes
                guard rest > 0 else { return }
            }
        } catch {}
    }
}
