import HTTPTypes
import Hummingbird
import OfferAPI

extension Response {
    /// An answer in JSON.
    static func json(
        _ body: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        bytes(try WireJSON.encode(body), .json, status: status, headers: headers)
    }

    /// An answer in bytes that are written already.
    static func bytes(
        _ body: [UInt8], _ type: MediaType, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = type.rawValue
        return Response(
            status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}
