import Foundation
import JSON
import OfferTestSupport
import Testing

@Suite("Escaping texts in JSON")
struct JSONEscapesTests {
    static let all: [JSONWriter.Escapes] = [.short, .hexadecimal, .visible]

    private static func written(_ text: String, _ escapes: JSONWriter.Escapes) -> String {
        var json = JSONWriter(escapes: escapes)
        json.text(text)
        return json.text
    }

    @Test("every ASCII character comes back as it was, by two other readers", arguments: all)
    func asciiRoundTrip(escapes: JSONWriter.Escapes) throws {
        let text = String(String.UnicodeScalarView((0..<0x80).compactMap { Unicode.Scalar($0) }))
        try expectReadBack(text, escapes)
    }

    @Test("any text comes back as it was, by two other readers", arguments: all)
    func textRoundTrip(escapes: JSONWriter.Escapes) throws {
        var random = SeededGenerator(seed: 77)
        var text = ""
        while text.unicodeScalars.count < 5_000 {
            guard let scalar = Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random)) else {
                continue
            }
            text.unicodeScalars.append(scalar)
        }
        try expectReadBack(text, escapes)
    }

    @Test("each way of escaping writes its bytes and no others: stored rows and signatures depend on them")
    func spelling() {
        let text = "a\"\\/\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}\u{85}é\u{2028}\u{E000}\u{FEFF}\u{FFFE}🌷"
        #expect(
            Self.written(text, .short)
                == #""a\"\\/\b\f\n\r\t\u0000\u001f"# + "\u{7F}\u{85}é\u{2028}\u{E000}\u{FEFF}\u{FFFE}🌷\"")
        #expect(
            Self.written(text, .hexadecimal)
                == #""a\"\\/\u0008\u000c\u000a\u000d\u0009\u0000\u001f"#
                + "\u{7F}\u{85}é\u{2028}\u{E000}\u{FEFF}\u{FFFE}🌷\"")
        #expect(
            Self.written(text, .visible)
                == #""a\"\\/\u0008\u000c\n\r\t\u0000\u001f\u007f\u0085é\u2028\ue000\ufeff\ufffe🌷""#)
    }

    @Test("numbers, booleans, lists, absent members and an empty object are written as JSON")
    func otherValues() {
        var json = JSONWriter.beginObject(.hexadecimal)
        json.member("a", Int64.min)
        json.member("b", true)
        json.member("c", false)
        json.member("d", "")
        json.member("e", nil as String?)
        json.member("f", ["g", "\n"])
        json.member("h", object: JSONWriter.beginObject(.hexadecimal).endObject())
        #expect(
            String(decoding: json.endObject(), as: UTF8.self)
                == #"{"a":-9223372036854775808,"b":true,"c":false,"d":"","f":["g","\u000a"],"h":{}}"#)
    }

    private func expectReadBack(_ text: String, _ escapes: JSONWriter.Escapes) throws {
        var writer = JSONWriter.beginObject(escapes)
        writer.member("text", text)
        let json = writer.endObject()
        let read = try JSONDecoder().decode([String: String].self, from: Data(json))
        #expect(read["text"].map { Array($0.utf8) } == Array(text.utf8))
        let program =
            "import json, sys; sys.stdout.buffer.write(json.load(sys.stdin.buffer)['text'].encode())"
        #expect(try Command.run("python3", ["-c", program], input: json).output == Array(text.utf8))
    }
}
