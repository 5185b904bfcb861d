import OfferDocuments
import Testing

@Suite("A YAML document of the program's own as JSON")
struct OwnDocumentTests {
    @Test(
        "every kind of scalar becomes what it is spelled as, and members keep their order",
        arguments: [
            ("b: 1\na: -1.5\n", #"{"b":1,"a":-1.5}"#), ("[1e5, 0x1, 1_0, .5, 01]", #"[1e5,"0x1","1_0",".5","01"]"#),
            ("[true, false, yes, 'true']", #"[true,false,"yes","true"]"#),
            ("[~, null, \"null\"]", #"[null,null,"null"]"#),
            ("a:\n", #"{"a":null}"#), ("{}", "{}"), ("[[], {}, [[]]]", "[[],{},[[]]]"),
            ("a: |\n  b\n  c\nd: >-\n  e\n  f\n", #"{"a":"b\nc\n","d":"e f"}"#), ("a: b\n  c\n", #"{"a":"b c"}"#),
            (#"["\u0001\"\\", é, 🎁]"#, #"["\u0001\"\\","é","🎁"]"#),
        ])
    func scalars(yaml: String, json: String) throws {
        #expect(String(decoding: try OwnDocument.json(Array(yaml.utf8)), as: UTF8.self) == json)
    }

    @Test(
        "what JSON cannot say, or says otherwise, is refused",
        arguments: [
            "a: &x 1", "a: *x", "a: !!str 1", "a: 1\na: 2", "a: [", "", "a: 1\n---\nb: 2", "? [a]\n: b", "<<: {a: 1}",
        ])
    func refused(yaml: String) {
        #expect(throws: InvalidDocument.self) { try OwnDocument.json(Array(yaml.utf8)) }
    }

    @Test("it may have more tokens than a document of a user")
    func long() throws {
        let count = DocumentLimits.tokens
        let yaml = "[" + String(repeating: "1, ", count: count) + "1]"
        let json = try OwnDocument.json(Array(yaml.utf8))
        #expect(json.count { $0 == UInt8(ascii: ",") } == count)
    }
}
