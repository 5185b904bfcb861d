import JSON
import OfferAPI
import OfferTestSupport
import Testing

@Suite("The form of a JSON request")
struct JSONFormTests {
    /// Accepts anything: what is refused is refused for its form.
    private struct Anything: WireValue {
        static var form: WireForm { .anything }

        static func read(_ json: inout WireReader) throws(Misreading) -> Anything {
            _ = try JSONValue.read(&json)
            return Anything()
        }

        func write(to json: inout JSONWriter) { json.null() }
    }

    private func fault(_ text: String, values: Int = .max) -> ProblemErrorBody? {
        fault(Array(text.utf8), values: values)
    }

    private func fault(_ bytes: [UInt8], values: Int = .max) -> ProblemErrorBody? {
        do throws(RequestFault) {
            _ = try WireJSON.decodeRequest(Anything.self, from: bytes, values: values)
            return nil
        } catch {
            return error.errors.first
        }
    }

    @Test(
        "every JSON value is read",
        arguments: [
            "{}", "[]", " {\"a\" : [1, -2.5e+3, 0.0, true, false, null, \"\\u00e9\\ud83d\\ude00\\n\\/\"]}\n", "0",
            "\"\"",
            "[[],{}]", "{\"a\":{\"a\":1}}",
        ])
    func accepted(_ text: String) {
        #expect(fault(text) == nil)
    }

    @Test(
        "a misplaced byte is named by its place",
        arguments: [
            ("{\"a\":}", 1, 6, "/a"), ("{\"a\" 1}", 1, 6, "/a"), ("[1,\n 2,]", 2, 4, "/2"), ("{\"a\":1,}", 1, 8, ""),
            ("{'a':1}", 1, 2, ""), ("[01]", 1, 3, ""), ("[1.]", 1, 4, "/0"), ("[+1]", 1, 2, "/0"), ("[.5]", 1, 2, "/0"),
            ("[1e]", 1, 4, "/0"), ("[NaN]", 1, 2, "/0"), ("[tru]", 1, 5, "/0"), ("{} {}", 1, 4, ""),
            ("[\"\u{1}\"]", 1, 3, "/0"), ("[\"\\x\"]", 1, 5, "/0"), ("[\"\\ud800\"]", 1, 9, "/0"), ("[\"a", 1, 4, "/0"),
            ("\u{FEFF}{}", 1, 1, ""), ("{\"a\":1", 1, 7, ""), ("\u{0}", 1, 1, ""),
        ])
    func misplaced(_ text: String, line: Int, column: Int, pointer: String) {
        let found = fault(text)
        #expect(found?.code == "malformedJson")
        #expect(found?.line == line)
        #expect(found?.column == column)
        #expect(found?.pointer == pointer)
    }

    @Test("a body with more values than are allowed is refused at the first too many, however they are arranged")
    func manyValues() {
        for text in ["[1,2,3,4]", #"{"a":1,"b":{"c":[]}}"#, "[[[[0]]]]", "[1]"] {
            #expect(fault(text, values: 5) == nil)
        }
        for (text, place) in [
            ("[1,2,3,4,5]", "/4"), (#"{"a":1,"b":{"c":[7,8]}}"#, "/b/c/1"), ("[[[[0,0]]]]", "/0/0/0/1"),
            (#"{"a":0,"b":0,"c":0,"d":0,"e":0}"#, "/e"),
        ] {
            let found = fault(text, values: 5)
            #expect(found?.code == "tooMany" && found?.pointer == place, "\(String(describing: found))")
        }
    }

    @Test("names with escapes may be at most an eighth of the values, and the fault says why")
    func manyEscapedNames() {
        #expect(fault(#"{"\u0061\n":0,"b\n":0,"c":"\n\t"}"#, values: 17) == nil)
        let found = fault(#"{"a":[{"\u0061":0,"b\n":0,"c\u0063":{}}]}"#, values: 17)
        #expect(found?.code == "tooMany" && found?.pointer == "/a/0/cc", "\(String(describing: found))")
        #expect(found?.detail == "there are more than 136 escapes; a name with any counts as 64 more")
    }

    @Test("names with escapes are told apart, found repeated and shown as the characters they write")
    func escapedNames() {
        #expect(fault(#"{"\u0061":1,"a":2}"#)?.pointer == "/a")
        #expect(fault(#"{"a":1,"\u0061":2}"#)?.code == "duplicateMember")
        #expect(fault(#"{"\ud83d\ude00\n":1,"\ud83d\ude00":1}"#) == nil)
        #expect(fault(#"{"\uD83D\uDE00":1,"😀":1}"#)?.pointer == "/😀")
        #expect(fault(#"{"a\/~b\\\"\b\f\r\t":?}"#)?.pointer == "/a~1~0b\\\"\u{8}\u{C}\r\t")
        #expect(fault(#"{"\u00zz":1}"#)?.column == 7)
        let name = String(repeating: #"\u00e9"#, count: 127)
        #expect(fault("{\"\(name)\":1}") == nil, "254 bytes")
        #expect(fault("{\"\(name)é\":1}")?.code == "invalidLength", "256 bytes")
    }

    @Test("an empty body is refused with words of its own")
    func empty() {
        #expect(fault("")?.detail == "the body is empty")
        #expect(fault("  ")?.code == "malformedJson")
    }

    @Test("bytes that are not UTF-8 are refused at the first of them")
    func invalidUTF8() {
        let found = fault(Array("{\"a\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8))
        #expect(found?.code == "malformedJson")
        #expect(found?.detail.hasPrefix("byte 6: ") == true)
    }

    @Test("a member given twice is refused, also if one spelling is escaped")
    func duplicates() {
        #expect(fault(#"{"a":1,"a":2}"#)?.code == "duplicateMember")
        #expect(fault(#"{"x":[{"a":1,"\u0061":2}]}"#)?.pointer == "/x/0/a")
        #expect(fault("{\"e\u{301}\":1,\"\u{E9}\":2}")?.code == "duplicateMember", "one name in other bytes")
    }

    @Test("32 levels of nesting are read and 33 are not, however many follow (invariant 10)")
    func depth() {
        #expect(fault(String(repeating: "[", count: 32) + String(repeating: "]", count: 32)) == nil)
        #expect(fault(String(repeating: "[", count: 33))?.detail == "byte 32: the value nests deeper than 32 levels")
        #expect(fault(String(repeating: "[", count: 100_000))?.code == "malformedJson")
        #expect(fault(String(repeating: "{\"a\":", count: 100_000))?.code == "malformedJson")
    }

    @Test("an endless number is refused")
    func longNumber() {
        #expect(fault(String(repeating: "9", count: 65))?.code == "invalidValue")
        #expect(fault(String(repeating: "9", count: 64)) == nil)
    }

    @Test("a member's name has at most 255 bytes, however it is spelt (invariant 10)")
    func longName() {
        let name = String(repeating: "a", count: 255)
        #expect(fault("{\"\(name)\":1}") == nil)
        let found = fault("{\"x\":[{\"\(name)a\":1}]}")
        #expect(found?.code == "invalidLength")
        #expect(found?.pointer == "/x/0", "the object is named, not the endless name")
        #expect(fault("{\"\(String(repeating: "\\u0061", count: 255))\":1}") == nil)
        #expect(fault("{\"\(String(repeating: "\\u00e9", count: 128))\":1}")?.code == "invalidLength")
    }

    @Test("a column counts characters, the detail bytes")
    func columnOfCharacters() {
        let found = fault("\n{\"\u{E9}\u{1F600}\":}")
        #expect(found?.line == 2)
        #expect(found?.column == 7)
        #expect(found?.detail.hasPrefix("byte 11: ") == true)
    }

    @Test("pointers are right after siblings, and escape what RFC 6901 wants escaped")
    func pointersAfterSiblings() {
        #expect(fault(#"{"a":[{"b":1},[2,[3]],{"c/d~":[[],{},x]}]}"#)?.pointer == "/a/2/c~1d~0/2")
        #expect(fault(#"{"a":{"b":[1]},"c":?}"#)?.pointer == "/c")
        #expect(fault(#"[[1,2],[3,4] 5]"#)?.pointer == "")
        #expect(fault(#"{"a":[1 2]}"#)?.pointer == "/a")
    }

    @Test("no bytes make it crash, and a text cut anywhere is refused (invariant 10)")
    func mutations() {
        var random = SeededGenerator(seed: 20_261)
        let sample = Array(
            #"{"offerId":"a","customer":{"customerId":"ü"},"signals":{"n":1.5e3,"b":true},"x":[null]}"#.utf8)
        for end in 0..<sample.count {
            #expect(fault(Array(sample[..<end])) != nil, "cut at \(end)")
        }
        for _ in 0..<2_000 {
            var bytes = sample
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            _ = fault(bytes)
        }
    }
}
