import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization

/// One connection's ``ConnectionPatience``, told what happens by the event loop and by the task that answers.
final class ConnectionProgress: Sendable {
    private let patience: Mutex<ConnectionPatience>

    init(_ patience: HTTPPatience) {
        self.patience = Mutex(ConnectionPatience(patience, at: .now))
    }

    /// Bytes have come; false if they are not to be read any more.
    func received() -> Bool {
        patience.withLock { patience in
            patience.received(at: .now)
            return !patience.isLeaving
        }
    }

    /// Something of a request has been understood, its headers first.
    func understood() {
        patience.withLock { $0.readHeaders() }
    }

    /// The client takes what is sent to it, or has stopped doing so.
    func takesAnswers(_ takes: Bool) {
        patience.withLock { $0.takesAnswers(takes, at: .now) }
    }

    /// Who is late now.
    func verdict() -> ConnectionPatience.Verdict {
        patience.withLock { $0.verdict(at: .now) }
    }

    /// Answers one request with a responder, noting how far it is, and gives leave to send its body.
    @concurrent func respond(
        to request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel,
        by responder: HTTPChannelHandler.Responder
    ) async throws {
        var request = request
        patience.withLock { $0.began(withBody: request.announcesBody, at: .now) }
        if request.announcesBody {
            if request.expectsContinue, !request.withholdsBody {
                try await writer.writeInformationalHead(HTTPResponse(status: .continue))
            }
            request.body = RequestBody(asyncSequence: ReportedBody(base: request.body, progress: self))
        }
        try await responder(request, writer, channel)
        patience.withLock { $0.answered(at: .now) }
    }

    fileprivate func readBody() {
        patience.withLock { $0.readBody() }
    }
}

/// A body that says when it has been read to its end.
private struct ReportedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let base: RequestBody
    let progress: ConnectionProgress

    func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), progress: progress)
    }

    struct Iterator: AsyncIteratorProtocol {
        var base: RequestBody.AsyncIterator
        let progress: ConnectionProgress

        @concurrent mutating func next() async throws -> ByteBuffer? {
            let buffer = try await base.next()
            if buffer == nil { progress.readBody() }
            return buffer
        }
    }
}
