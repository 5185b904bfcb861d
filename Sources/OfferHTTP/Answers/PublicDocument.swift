package import HTTPTypes
package import Hummingbird
import NIOCore
import OfferDocuments

/// What everyone may read without a key: it comes with the program and says nothing of an installation.
package struct PublicDocument: Sendable {
    private let body: ByteBuffer
    private let headers: HTTPFields

    package init(_ bytes: [UInt8], _ type: String, _ more: HTTPFields = [:]) {
        body = ByteBuffer(bytes: bytes)
        var headers = more
        headers[.contentType] = type
        headers[.eTag] = "\"\(String(Self.hash(bytes), radix: 16))\""
        headers[.cacheControl] = "public, max-age=300"
        headers[.xContentTypeOptions] = "nosniff"
        self.headers = headers
    }

    /// FNV-1a: it only tells one version of a document from another.
    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64(truncatingIfNeeded: $1)) &* 0x100_0000_01B3 }
    }

    /// The document, or 304 to a client that has it.
    package func answer(to request: Request) -> Response {
        var headers = headers
        guard let tag = headers[.eTag], request.knows(tag) else {
            return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
        }
        headers[.contentType] = nil
        return Response(status: .notModified, headers: headers)
    }
}

extension PublicDocument {
    /// The description of the API.
    static let yaml = PublicDocument(OfferServer.description, MediaType.yaml.rawValue)

    /// The same as JSON. Made when it is first asked for, because reading YAML would delay each start.
    static let json = Result {
        PublicDocument(try OwnDocument.json(OfferServer.description), MediaType.json.rawValue)
    }

    /// The page that shows `/openapi.json` to people.
    static let page = PublicDocument(
        PackageResources.docs_html, "text/html",
        [.contentSecurityPolicy: contentSecurityPolicy])

    /// Nothing runs in the page but its own script, which reads from this server alone, and no other page can frame it.
    /// The two hashes are those of the text in `<script>` and in `<style>`.
    private static let contentSecurityPolicy = """
        default-src 'none'; connect-src 'self'; \
        script-src 'sha256-YWYYSw4ovmZTF/7ijCt8OAb1dTYUgttS2WtX597fb8w='; \
        style-src 'sha256-L1GjA96y6qUSHUSKlhuFzTiZnZyT6QL3W8fEwA0UHnQ='; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """
}
