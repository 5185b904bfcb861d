import JSON
import Testing

@Suite("The members of a JSON object")
struct JSONObjectTests {
    private static let limits = JSONForm.Limits(
        depth: 8, nameLength: .max, numberLength: .max, allowsRepeatedMembers: true)

    private func object(_ text: String) throws -> JSONObject {
        try #require(try JSONObject(Array(text.utf8), Self.limits), "\(text)")
    }

    @Test("each value is read as what it is, and as nothing else")
    func types() throws {
        let object = try object(
            #" { "text" : "a\n\u00e9" , "flag":true,"whole":-12,"half":-0.5,"list":["a","\u0062"],"inner":{"a":{"b":1}}} "#
        )
        #expect(try object.text("text") == "a\né")
        #expect(try object.flag("flag") == true)
        #expect(try object.integer("whole") == -12)
        #expect(try object.roundedDown("half") == -1)
        #expect(try object.double("half") == -0.5)
        #expect(try object.double("whole") == -12)
        #expect(try object.texts("list") == ["a", "b"])
        #expect(try object.object("inner")?.object("a")?.integer("b") == 1)
        for name in ["text", "flag", "whole", "half", "list", "inner"] {
            let readers: [(kind: String, read: () throws -> Bool)] = [
                ("text", { try object.text(name) != nil }), ("flag", { try object.flag(name) != nil }),
                ("whole", { try object.integer(name) != nil }), ("list", { try object.texts(name) != nil }),
                ("inner", { try object.object(name) != nil }),
            ]
            for (kind, read) in readers where kind != name {
                #expect(throws: JSONObject.WrongType.self, "\(name) as \(kind)") { try read() }
            }
        }
        #expect(throws: JSONObject.WrongType.self) { try object.double("flag") }
    }

    @Test("null is absent, and the first of several members with one name counts, however it is spelled")
    func names() throws {
        let object = try object(#"{"none":null,"\u0061bc":"first","abc":"second","ab":1,"":2,"x":{"y":3}}"#)
        #expect(try object.text("none") == nil)
        #expect(object.contains("none") && !object.has("none"))
        #expect(try object.text("abc") == "first")
        #expect(try object.integer("ab") == 1)
        #expect(try object.integer("") == 2)
        #expect(!object.contains("y") && object.has("x"))
        #expect(try object.text("\\u0061bc") == nil)
    }

    @Test(
        "a whole number may be written with a fraction or an exponent",
        arguments: [
            ("0", 0), ("-0", 0), ("1.0", 1), ("1e3", 1_000), ("12.5e1", 125),
            ("9007199254740991.0", 9_007_199_254_740_991),
            ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
            ("999999999999999999", 999_999_999_999_999_999),
        ] as [(String, Int64)])
    func wholeNumbers(_ text: String, _ number: Int64) throws {
        #expect(try object("{\"a\":\(text)}").integer("a") == number)
        #expect(try object("{\"a\":\(text)}").roundedDown("a") == number)
    }

    @Test(
        "what has a fraction or more than 64 bits is no whole number",
        arguments: ["0.5", "9223372036854775808", "1e300"])
    func otherNumbers(_ text: String) throws {
        let object = try object("{\"a\":\(text)}")
        #expect(throws: JSONObject.WrongType.self) { try object.integer("a") }
    }

    @Test("another value is no object, and a text that is no JSON is refused at its fault")
    func otherTexts() throws {
        for text in ["[]", "1", "\"{}\"", "null"] {
            #expect(try JSONObject(Array(text.utf8), Self.limits).map { _ in true } == nil, "\(text)")
        }
        #expect(throws: JSONFault.self) { try JSONObject(Array("{\"a\":1,}".utf8), Self.limits) }
        #expect(try object("{}").has("a") == false)
    }
}
