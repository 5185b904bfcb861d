import OfferAPI
import Testing

@Suite("The bodies that openapi.yaml describes are those of the code")
struct DescribedBodyTests {
    private let bodies: DescribedBodies
    private let document: OpenAPIDocument

    init() throws {
        document = try OpenAPIDocument()
        bodies = try DescribedBodies(document)
    }

    @Test("every member has one name, type and list of words, and is required or may be null in both or in neither")
    func members() {
        #expect(bodies.differences.sorted() == [])
    }

    @Test("every object that openapi.yaml describes is a type of the code, but for the catalog and what is no body")
    func everyObject() throws {
        let others = [
            "AllConditions", "AnyCondition", "Catalog", "CatalogGroup", "CatalogOffer", "Comparison", "DecidingRule",
            "DecodedPayload", "EmptyCatalog", "EventData", "NoCondition", "Signals",
        ]
        let objects = try document.components("schemas").filter { _, schema in
            schema["properties"] != nil || schema["type"] as? String == "object" || schema["allOf"] != nil
        }
        let unseen = objects.keys.filter { !bodies.schemas.contains($0) && !others.contains($0) }
        #expect(unseen.sorted() == [])
    }

    @Test("the code lists an answer's members in the order of their names")
    func order() {
        for (type, _) in bodies.types.values where !(type is any WireRequest.Type) {
            let names = DescribedBodies.members(type).map(\.name.description)
            #expect(names == names.sorted(), "\(type)")
        }
    }

    @Test("the code lists every property that an answer stores; of an answer within it, members in its place")
    func stored() {
        func names(_ type: any WireObject.Type) -> Set<String> {
            Set(DescribedBodies.members(type).map(\.name.description))
        }
        func properties<Object: WireObject>(_ type: Object.Type) -> [(label: String?, value: Any)] {
            Array(Mirror(reflecting: Object()).children)
        }
        for (type, _) in bodies.types.values where !(type is any WireRequest.Type) {
            let stored = properties(type)
            let listed = names(type)
            var rest = listed.subtracting(stored.compactMap(\.label))
            for (label, value) in stored where !listed.contains(label ?? "") {
                let within = (value as? any WireObject).map { names(Swift.type(of: $0)) } ?? []
                #expect(!rest.isDisjoint(with: within), "\(type).\(label ?? "")")
                rest.subtract(within)
            }
            #expect(rest == [], "\(type)")
        }
    }
}
