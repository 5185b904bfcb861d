import Foundation
import OfferTestSupport
import Testing

@testable import OfferSigning

@Suite("Writing claims as JSON")
struct JSONObjectWriterTests {
    @Test("every ASCII character comes back as it was, by two other readers")
    func asciiRoundTrip() throws {
        let text = String(String.UnicodeScalarView((0..<0x80).compactMap { Unicode.Scalar($0) }))
        try expectReadBack(text)
    }

    @Test("any text comes back as it was, by two other readers")
    func textRoundTrip() throws {
        var random = SeededGenerator(seed: 77)
        var text = ""
        while text.unicodeScalars.count < 5_000 {
            guard let scalar = Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random)) else {
                continue
            }
            text.unicodeScalars.append(scalar)
        }
        try expectReadBack(text)
    }

    @Test("numbers, booleans and an empty object are written as JSON")
    func otherValues() {
        var writer = JSONObjectWriter()
        writer.add("a", Int64.min)
        writer.add("b", true)
        writer.add("c", false)
        writer.add("d", "")
        #expect(
            String(decoding: writer.finish(), as: UTF8.self)
                == #"{"a":-9223372036854775808,"b":true,"c":false,"d":""}"#)
        #expect(String(decoding: JSONObjectWriter().finish(), as: UTF8.self) == "{}")
    }

    private func expectReadBack(_ text: String) throws {
        var writer = JSONObjectWriter()
        writer.add("text", text)
        let json = writer.finish()
        let read = try JSONDecoder().decode([String: String].self, from: Data(json))
        #expect(read["text"].map { Array($0.utf8) } == Array(text.utf8))
        let program =
            "import json, sys; sys.stdout.buffer.write(json.load(sys.stdin.buffer)['text'].encode())"
        #expect(try Command.run("python3", ["-c", program], input: json).output == Array(text.utf8))
    }
}
