import Foundation
import OfferAPI
import Testing

/// Whether an example fits its schema is judged by `Scripts/check_openapi.py`, an independent validator.
@Suite("The examples of openapi.yaml")
struct ExampleTests {
    @Test("every request and every answer has one")
    func everyContent() throws {
        let bare = try OpenAPIDocument().contents.filter { $0.examples.isEmpty && !$0.hasOwnExample }.map(\.place)
        #expect(bare.isEmpty)
    }

    @Test("every example is one of some request or answer")
    func used() throws {
        let document = try OpenAPIDocument()
        let used = Set(try document.contents.flatMap(\.examples))
        #expect(Set(try document.components("examples").keys) == used)
    }

    @Test("every problem code has one, with the code's own status, title and type", arguments: ProblemCode.allCases)
    func problem(_ code: ProblemCode) throws {
        let examples = try OpenAPIDocument().components("examples")
        let example = try #require(examples[code.rawValue], "components.examples.\(code.rawValue) is missing")
        let value = try #require(example["value"] as? [String: Any])
        #expect(value["code"] as? String == code.rawValue)
        #expect(value["status"] as? Int == code.status)
        #expect(value["title"] as? String == code.title)
        #expect(value["type"] as? String == "urn:offerd:problem:\(code.rawValue)")
    }

    @Test("an answer's problems are those of its status")
    func statuses() throws {
        let document = try OpenAPIDocument()
        let examples = try document.components("examples")
        for content in try document.contents where content.mediaType == ProblemBody.mediaType {
            for name in content.examples {
                let value = try #require(examples[name]?["value"] as? [String: Any])
                let status = try #require(value["status"] as? Int)
                #expect(content.status == nil || content.status == String(status), "\(content.place): \(name)")
            }
        }
    }
}
