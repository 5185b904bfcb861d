import HTTPTypes
import Logging
import NIOCore
import OfferAPI
import OfferModel

/// The answer to bytes that never became a request: a problem document with an id and a line in the log, like every
/// other.
enum UnroutedAnswer {
    /// An `invalid-request` as it goes to the socket; the connection ends with it.
    static func badRequest(_ problem: Problem, logger: Logger) -> ByteBuffer? {
        let requestId = LowercaseUUID.random()
        let status = HTTPResponse.Status.badRequest
        logger.info(
            "answered", metadata: ["request.id": "\(requestId)", "http.route": "none", "http.status": "\(status.code)"])
        guard let body = try? WireJSON.encode(problem.body(instance: "/", requestId: requestId)) else { return nil }
        let head = """
            HTTP/1.1 \(status)\r
            connection: close\r
            content-type: \(ProblemBody.mediaType)\r
            content-length: \(body.count)\r
            x-request-id: \(requestId)\r
            \r\n
            """
        return ByteBuffer(bytes: Array(head.utf8) + body)
    }
}
