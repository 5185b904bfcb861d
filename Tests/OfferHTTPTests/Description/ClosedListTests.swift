import Foundation
import OfferModel
import Testing
import Yams

@Suite("The closed lists of openapi.yaml are those of the code")
struct ClosedListTests {
    @Test("a list names every word of the code, in its order, and no other", arguments: ClosedList.all)
    func words(_ list: ClosedList) throws {
        let schemas = try OpenAPIDocument().components("schemas")
        let described = schemas[list.schema]?["enum"] as? [String] ?? []
        let missing = list.words.filter { !described.contains($0) }
        let extra = described.filter { !list.words.contains($0) }
        #expect(
            described == list.words,
            "components.schemas.\(list.schema): missing \(missing), not in the code \(extra); put there:\n\(list.yaml)")
    }

    @Test("every list of words in openapi.yaml is held to the code")
    func everyList() throws {
        let schemas = try OpenAPIDocument().components("schemas")
        let listed = schemas.filter { $0.value["enum"] != nil }.keys.sorted()
        #expect(listed == ClosedList.all.map(\.schema).sorted())
    }

    @Test("every fact is told with type, unit, range, values and meaning, and no other is")
    func facts() throws {
        let schema = try #require(try OpenAPIDocument().components("schemas")["FactName"])
        let described = schema["x-facts"] as? [String: Any] ?? [:]
        let names = FactVocabulary.all.map(\.name)
        for name in described.keys where !names.contains(name) {
            Issue.record("components.schemas.FactName.x-facts: the code has no fact `\(name)`")
        }
        var wrong = ""
        for definition in FactVocabulary.all {
            let yaml = DescribedFact(definition: definition).yaml
            let expected = try #require(try Yams.load(yaml: yaml) as? [String: Any])
            let found = described[definition.name].map { [definition.name: $0] } ?? [:]
            if try Yams.dump(object: found, sortKeys: true) != Yams.dump(object: expected, sortKeys: true) {
                wrong += yaml
            }
        }
        #expect(wrong.isEmpty, "components.schemas.FactName.x-facts: put there:\n\(wrong)")
    }
}
