import Foundation
import OfferTestSupport
import OpenSSLCrypto
import Testing
import Yams

@testable import OfferHTTP

@Suite("What everyone may read of the API")
struct PublicDocumentTests {
    private static let paths = ["/openapi.yaml", "/openapi.json", "/docs"]

    @Test("openapi.json is openapi.yaml, as another reader of YAML has it")
    func json() async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.ask("GET", "/openapi.json")
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "application/json")
            let yaml = try await service.ask("GET", "/openapi.yaml")
            #expect(yaml.headers["content-type"] == "application/yaml")
            #expect(try JSONSerialization.jsonObject(with: Data(answer.body)) is [String: Any])
            // JSON is YAML too, so one reader takes both for values of the same types.
            let (left, right) = (try Yams.load(yaml: answer.text), try Yams.load(yaml: yaml.text))
            #expect(Self.text(left).utf8.count > 100_000)
            #expect(Self.text(left) == Self.text(right))
        }
    }

    /// Every value with its type, and members in the order of their names.
    private static func text(_ node: Any?) -> String {
        switch node {
        case let map as [String: Any]:
            let members = map.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value))" }
            return "{\(members.joined(separator: "\n"))}"
        case let list as [Any]: return "[\(list.map { text($0) }.joined(separator: "\n"))]"
        case let value?: return "\(type(of: value)) \(value)"
        case nil: return "nothing"
        }
    }

    @Test("each of them may be cached for minutes, and is 304 without a body to a client that has it")
    func cached() async throws {
        try await ServiceFixture.run { service in
            var tags = Set<String>()
            for path in Self.paths {
                let answer = try await service.ask("GET", path)
                #expect(answer.status == 200)
                #expect(answer.headers["cache-control"] == "public, max-age=300")
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                let tag = try #require(answer.headers["etag"])
                tags.insert(tag)
                for known in [tag, "W/\(tag)", "\"a\", \(tag)", "*"] {
                    let again = try await service.ask("GET", path, headers: [("If-None-Match", known)])
                    #expect(again.status == 304 && again.body.isEmpty, "\(path) \(known)")
                    #expect(again.headers["etag"] == tag)
                }
                for other in ["\"a\"", "", String(tag.dropFirst())] {
                    let again = try await service.ask("GET", path, headers: [("If-None-Match", other)])
                    #expect(again.status == 200 && again.body == answer.body, "\(path) \(other)")
                }
            }
            #expect(tags.count == Self.paths.count)
        }
    }

    @Test("a key does not matter, a query is ignored, and nothing but GET and HEAD is taken")
    func harmless() async throws {
        try await ServiceFixture.run { service in
            for path in Self.paths {
                let answer = try await service.ask("GET", path)
                #expect(try await service.ask("GET", path, token: "nonsense").body == answer.body)
                #expect(try await service.ask("GET", path + "?a=%00&a=%3Cscript%3E").body == answer.body)
                #expect(try await service.ask("POST", path, body: "{}").code == "method-not-allowed")
                #expect(try await service.ask("HEAD", path).headers["etag"] == answer.headers["etag"])
                #expect(try await service.ask("GET", path + "/x").status == 404)
            }
        }
    }

    @Test("the page runs its own script and style alone, and asks for nothing but /openapi.json")
    func page() async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.ask("GET", "/docs")
            #expect(answer.headers["content-type"] == "text/html")
            let policy = try #require(answer.headers["content-security-policy"])
            #expect(
                policy == """
                    default-src 'none'; connect-src 'self'; script-src 'sha256-\(try hash("script", answer.text))'; \
                    style-src 'sha256-\(try hash("style", answer.text))'; base-uri 'none'; form-action 'none'; \
                    frame-ancestors 'none'
                    """)
            for forbidden in [
                "://", " src=", "url(", "@import", "innerHTML", "insertAdjacentHTML", "document.write", "eval(",
            ] {
                #expect(!answer.text.contains(forbidden), "\(forbidden)")
            }
            #expect(answer.text.ranges(of: "fetch(").count == 1 && answer.text.contains("fetch(\"openapi.json\")"))
            #expect(answer.text.ranges(of: "<p role=\"status\"").count == 1, "where it says how many calls it shows")
            #expect(!answer.text.contains(" style=") && !answer.text.contains(" onclick"))
        }
    }

    /// The hash of what an element of the page holds, as a policy names it.
    private func hash(_ element: String, _ page: String) throws -> String {
        let parts = page.components(separatedBy: "<\(element)>")
        try #require(parts.count == 2, "the page has one <\(element)>")
        let text = try #require(parts[1].components(separatedBy: "</\(element)>").first)
        return Data(OpenSSLDigest().sha256(Array(text.utf8))).base64EncodedString()
    }
}
