import OfferModel
import OfferSigning
import OfferTestSupport
import Testing

@testable import AppStoreData

@Suite("Reading payloads")
struct PayloadReadingTests {
    /// The same JSON in other words: with escapes, spaces, fractions of zero, and one unknown member.
    private static func respelled(_ payload: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var text = ""
        var isText = false
        var hasUnknown = false
        let scalars = Array(String(decoding: payload, as: UTF8.self).unicodeScalars)
        for (place, scalar) in scalars.enumerated() {
            let isEscaped =
                isText && scalar.value < 0x80 && scalar != "\"" && Int.random(in: 0..<8, using: &random) == 0
            text += isEscaped ? "\\u00" + Hexadecimal.lowercase([UInt8(scalar.value)]) : String(scalar)
            if scalar == "\"" { isText.toggle() }
            guard !isText else { continue }
            let isEndOfNumber = ("0"..."9").contains(scalar) && !("0"..."9").contains(scalars[place + 1])
            if isEndOfNumber { text += ["", ".0", "e0", "E+0", ".00e-0"].randomElement(using: &random) ?? "" }
            if scalar == "{", !hasUnknown {
                hasUnknown = true
                text += #""unknown":[{"a":[null,true,"}\\\""]},-1.5e3,{}],"#
            }
            if "{}[]:,".unicodeScalars.contains(scalar) {
                text += ["", " ", "\n\t", "\r"].randomElement(using: &random) ?? ""
            }
        }
        return Array(text.utf8)
    }

    private static func check<Payload: ApplePayload>(_ type: Payload.Type, _ name: String) throws {
        let payload = try Payloads.bytes(name)
        let plain = try Payload(payload: payload)
        var random = SeededGenerator(seed: 350_003)
        for _ in 0..<200 {
            let text = respelled(payload, &random)
            let read = try? Payload(payload: text)
            #expect(read == plain, "seed \(random.seed): \(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test("a payload means the same however its JSON is spelled")
    func spellings() throws {
        try Self.check(Transaction.self, Payloads.transaction)
        try Self.check(RenewalInfo.self, Payloads.renewalInfo)
        try Self.check(AppTransaction.self, Payloads.appTransaction)
        try Self.check(AppStoreNotification.self, "notification")
    }

    /// The signing date of a notification.
    private static func date(_ text: String) -> String {
        do throws(SignedDataRefusal) {
            return "\(try PayloadMembers(limited: Array(text.utf8), kind: .notification).signingDate().milliseconds)"
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "the date is a number, a fraction rounded down; the first of several counts, and null is none",
        arguments: [
            ("1700000000000", "1700000000000"), ("1700000000000.75", "1700000000000"), ("1.7e12", "1700000000000"),
            (
                "null",
                "missingSignedDate: a notification has no `signedDate`, so its certificates cannot be judged"
            ), ("-1", "malformedPayload: `signedDate` is not a date: `1969-12-31T23:59:59.999Z`"),
            ("-0.5", "malformedPayload: `signedDate` is not a date: `1969-12-31T23:59:59.999Z`"),
        ]
            + ["\"1700000000000\"", "true", "[1]", "{}", "9223372036854775808", "1e300"].map {
                ($0, "malformedPayload: `signedDate` is not a number of milliseconds")
            })
    func dates(_ date: String, _ found: String) {
        for mark in [#""notificationUUID":"1""#, #""notification\u0055UID":{"a":[1,"]"]}"#] {
            #expect(Self.date("{\(mark),\"signedDate\":\(date)}") == found)
            #expect(
                Self.date("{\"signedDate\":\(date),\"signedDate\":1,\"x\":{\"signedDate\":2},\(mark)}") == found)
        }
        #expect(Self.date("{\"signedDate\":\(date)}") == "malformedPayload: a notification has no `notificationUUID`")
    }

    @Test("what is refused as no JSON is none to another parser")
    func damaged() throws {
        var random = SeededGenerator(seed: 410_001)
        var refused: [[UInt8]] = []
        let payload = try Payloads.bytes("notification")
        for _ in 0..<1_500 {
            var bytes = payload
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] =
                    Array("{}[]\",:\\0n".utf8).randomElement(using: &random) ?? 0
            }
            do throws(SignedDataRefusal) {
                _ = try AppStoreNotification(payload: bytes)
            } catch {
                if error.detail == "the payload is not JSON" { refused.append(bytes) }
            }
        }
        #expect(refused.count > 300)
        let judge = """
            import json, sys
            def is_json(text):
                try: json.loads(text)
                except ValueError: return False
                return True
            print(sum(is_json(bytes.fromhex(line)) for line in sys.stdin))
            """
        let lines = refused.map { Hexadecimal.lowercase($0) }.joined(separator: "\n")
        #expect(try Command.run("python3", ["-c", judge], input: Array(lines.utf8)).text == "0\n")
    }

    @Test("a payload of more values than any of Apple's is refused before its signature is checked")
    func manyValues() {
        let payload = { (count: Int) in
            let values = repeatElement("0", count: count).joined(separator: ",")
            return "{\"notificationUUID\":\"1\",\"signedDate\":1700000000000,\"x\":[\(values)]}"
        }
        #expect(Self.date(payload(8_188)) == "1700000000000")
        #expect(Self.date(payload(8_189)) == "malformedPayload: the payload has more than 8192 values")
    }

    @Test("what is no object, and what is too long, is refused")
    func otherValues() {
        for text in ["[]", "1", "\"{}\"", "null"] {
            #expect(Self.date(text) == "malformedPayload: the payload is not a JSON object")
        }
        for text in ["", "{} {}", "{\"a\":1,}", "{\"a\":01}", "{\"a\":nul}", "{\"a\":\"\u{1}\"}", "\u{FEFF}{}"] {
            #expect(Self.date(text) == "malformedPayload: the payload is not JSON", "\(text)")
        }
        let long = "{\"x\":\"\(String(repeating: "a", count: 196_608))\"}"
        #expect(Self.date(long) == "malformedPayload: the payload has 196616 bytes, more than 196608")
    }
}
