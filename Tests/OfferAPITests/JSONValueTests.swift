import Foundation
import OfferAPI
import Testing

@Suite("JSON values that are not ours")
struct JSONValueTests {
    @Test(
        "a value comes back as it was sent, members sorted",
        arguments: [
            "null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808", "0.25", "1e+300", #""""#,
            #""true""#, #""1""#, #""Ünïcödé 🎁 \u0000 \"""#, "[]", "{}", #"[null,[1,"a"],{"b":{"c":[false]}}]"#,
            #"{"a":null,"purchaseDate":1780000000000,"é":1}"#,
        ])
    func roundTrip(_ text: String) throws {
        let value = try WireJSON.decode(JSONValue.self, from: Array(text.utf8))
        #expect(String(decoding: try WireJSON.encode(value), as: UTF8.self) == text)
    }

    @Test("a number that 64 bits cannot hold is refused at its place")
    func hugeNumber() throws {
        let fault = #expect(throws: RequestFault.self) {
            try WireJSON.decodeRequest(JSONValue.self, from: Array(#"{"a":[1,{"b":1e400}]}"#.utf8))
        }
        #expect(fault?.errors.map(\.pointer) == ["/a/1/b"])
    }
}
