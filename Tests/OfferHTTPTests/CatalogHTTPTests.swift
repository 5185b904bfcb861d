import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("The catalog over HTTP")
struct CatalogHTTPTests {
    private func put(
        _ service: ServiceFixture, _ text: String, query: String = "", match: String? = "\"0\"",
        type: String = "application/yaml"
    ) async throws -> RawAnswer {
        try await service.ask(
            "PUT", "/v1/catalog\(query)", token: try await service.token(.marketing), body: text,
            headers: [("Content-Type", type)] + (match.map { [("If-Match", $0)] } ?? []))
    }

    private func get(_ service: ServiceFixture, accept: String? = nil) async throws -> RawAnswer {
        try await service.ask(
            "GET", "/v1/catalog", token: try await service.token(.support),
            headers: accept.map { [("Accept", $0)] } ?? [])
    }

    @Test("an empty catalog is revision 0")
    func empty() async throws {
        try await ServiceFixture.run { service in
            let answer = try await get(service)
            #expect(answer.status == 200)
            #expect(answer.headers["etag"] == "\"0\"")
            #expect(answer.headers["content-type"] == "application/yaml")
            #expect(answer.body.isEmpty)
        }
    }

    @Test("an applied document comes back byte for byte, comments and all")
    func applied() async throws {
        try await ServiceFixture.run { service in
            let text = "# ours\n" + TestCatalog.yaml
            for type in ["text/yaml", "application/x-yaml; charset=utf-8"] {
                let dry = try await put(service, text, query: "?dryRun=true&message=spring%20offers", type: type)
                #expect(dry.status == 200, "\(dry.text)")
                #expect(dry.json["revision"] as? Int == 0)
                #expect(dry.headers["etag"] == nil)
                let changes = try #require(dry.json["changes"] as? [[String: Any]])
                #expect(changes.contains { $0["offerId"] as? String == "trial" && $0["change"] as? String == "added" })
            }
            #expect(try await get(service).headers["etag"] == "\"0\"", "a dry-run applies nothing")
            let done = try await put(service, text)
            #expect(done.status == 200)
            #expect(done.json["revision"] as? Int == 1)
            #expect(done.headers["etag"] == "\"1\"")
            let answer = try await get(service)
            #expect(answer.text == text)
            #expect(answer.headers["etag"] == "\"1\"")
            let same = try await put(service, text, match: "\"1\"")
            #expect(same.json["revision"] as? Int == 1, "the same text makes no new revision")
            #expect((same.json["changes"] as? [Any])?.isEmpty == true)
        }
    }

    @Test("YAML that calls itself JSON is refused with its place, and nothing is applied")
    func yamlAsJSON() async throws {
        try await ServiceFixture.run { service in
            for (text, line) in [
                (TestCatalog.yaml, 1), ("{\"bundleId\":\"com.example.pro\",\n\"offers\":[],}", 2),
                ("{\n// spring\n\"bundleId\":\"com.example.pro\"}", 2), ("{}\n# spring", 2),
            ] {
                for query in ["", "?dryRun=true"] {
                    let answer = try await put(service, text, query: query, type: "application/json")
                    #expect(answer.status == 422)
                    #expect(answer.code == "invalid-catalog")
                    #expect(answer.errors.first?["code"] as? String == "syntax", "\(answer.text)")
                    #expect(answer.errors.first?["line"] as? Int == line, "\(answer.text)")
                }
            }
            #expect(try await get(service).headers["etag"] == "\"0\"")
        }
    }

    @Test(
        "Accept chooses the notation; what cannot be had is answered as if it had not been asked for",
        arguments: [
            (nil, "application/yaml"), ("*/*", "application/yaml"), ("application/json", "application/json"),
            ("application/yaml;q=0.5, application/json", "application/json"), ("text/html", "application/yaml"),
            ("application/json;q=0, application/yaml;q=0.1", "application/yaml"), ("TEXT/YAML", "application/yaml"),
        ])
    func accept(_ accept: String?, type: String) async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let answer = try await get(service, accept: accept)
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == type)
            #expect(answer.headers["vary"] == "Accept")
            guard type == "application/json" else { return }
            #expect(answer.json["bundleId"] as? String == "com.example.pro")
            #expect(
                (answer.json["offers"] as? [[String: Any]])?.map { $0["id"] as? String } == [
                    "comeback", "trial", "either",
                ])
            let again = try await put(service, answer.text, match: "\"1\"", type: "application/json")
            #expect(again.status == 200, "\(again.text)")
            #expect((again.json["changes"] as? [Any])?.isEmpty == true, "the same catalog in the other notation")
        }
    }

    @Test("a change must name the revision it was made from, and loses against a newer one")
    func ifMatch() async throws {
        try await ServiceFixture.run { service in
            let none = try await put(service, TestCatalog.yaml, match: nil)
            #expect(none.status == 428)
            #expect(none.code == "if-match-required")
            for match in ["*", "1", "W/\"0\"", "\"0\", \"1\"", "\"-1\"", "\"\"", "\"x\"", "\"99999999999999999999\""] {
                let malformed = try await put(service, TestCatalog.yaml, match: match)
                #expect(malformed.status == 400, "\(match)")
                #expect(malformed.errors.first?["path"] as? String == "header.If-Match")
            }
            #expect(try await put(service, TestCatalog.yaml).status == 200)
            for query in ["", "?dryRun=true"] {
                let late = try await put(service, TestCatalog.yaml + "# other\n", query: query)
                #expect(late.status == 412)
                #expect(late.code == "catalog-changed")
                #expect(late.headers["etag"] == "\"1\"")
            }
        }
    }

    @Test("a wrong document is 422 and every error has its line, column, path and hint")
    func invalid() async throws {
        try await ServiceFixture.run { service in
            let wrong = TestCatalog.yaml.replacingOccurrences(of: "subscription.state", with: "subscription.staet")
            let answer = try await put(service, wrong)
            #expect(answer.status == 422)
            #expect(answer.code == "invalid-catalog")
            let error = try #require(answer.errors.first)
            #expect(error["path"] as? String == "offers[0].eligibility")
            #expect(error["line"] as? Int == 17)
            #expect(error["column"] is Int)
            #expect(error["hint"] as? String == "did you mean `subscription.state`?")
            #expect(try await get(service).headers["etag"] == "\"0\"")
            #expect(try await put(service, "").code == "invalid-request")
        }
    }

    @Test("a dryRun that is neither true nor false, and an endless message, are 400")
    func parameters() async throws {
        try await ServiceFixture.run { service in
            for query in [
                "?dryRun=yes", "?message=" + String(repeating: "a", count: 1_001), "?message=%0A", "?dryrun=true",
            ] {
                let answer = try await put(service, TestCatalog.yaml, query: query)
                #expect(answer.status == 400)
            }
        }
    }
}
