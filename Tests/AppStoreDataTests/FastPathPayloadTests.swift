import OfferModel
import OfferSigning
import OfferTestSupport
import Testing

@testable import AppStoreData

@Suite("Payloads on the fast path")
struct FastPathPayloadTests {
    private static func outcome<Payload: ApplePayload>(
        _ type: Payload.Type, _ bytes: [UInt8], triesFastPath: Bool
    ) -> Result<Payload, SignedDataRefusal> {
        do throws(SignedDataRefusal) {
            return .success(try PayloadJSON(bytes, kind: Payload.kind, triesFastPath: triesFastPath).read(type))
        } catch {
            return .failure(error)
        }
    }

    private static func check<Payload: ApplePayload & Equatable>(
        _ type: Payload.Type, _ bytes: [UInt8], _ seed: UInt64
    ) {
        #expect(
            outcome(type, bytes, triesFastPath: true) == outcome(type, bytes, triesFastPath: false),
            "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
    }

    @Test(
        "a payload means the same with a decoder and without, and is refused in the same words, however it is damaged")
    func same() throws {
        var random = SeededGenerator(seed: 350_003)
        let pieces = Array(#"{}[]",:\ 0159-+.eEtfnu"#.utf8) + [0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xFF]
        for name in [Payloads.transaction, Payloads.renewalInfo, Payloads.appTransaction, "notification"] {
            let payload = try Payloads.bytes(name)
            for round in 0..<1_500 {
                var bytes = payload
                for _ in 0..<(round == 0 ? 0 : Int.random(in: 1...3, using: &random)) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bytes[place] = pieces.randomElement(using: &random) ?? 0
                    case 1: bytes.insert(pieces.randomElement(using: &random) ?? 0, at: place)
                    case 2: bytes.remove(at: place)
                    default:
                        let end = min(bytes.count, place + Int.random(in: 1...40, using: &random))
                        bytes.insert(contentsOf: bytes[place..<end], at: place)
                    }
                }
                Self.check(Transaction.self, bytes, random.seed)
                Self.check(RenewalInfo.self, bytes, random.seed)
                Self.check(AppTransaction.self, bytes, random.seed)
                Self.check(AppStoreNotification.self, bytes, random.seed)
            }
        }
    }

    /// The signing date by the members that it takes, and by all of them.
    private static func dates(_ bytes: [UInt8], _ kind: PayloadKind) -> (excerpt: String, whole: String) {
        func outcome(_ read: () throws(SignedDataRefusal) -> Instant) -> String {
            do throws(SignedDataRefusal) { return "\(try read())" } catch { return "\(error)" }
        }
        return (
            outcome { () throws(SignedDataRefusal) in
                try PayloadJSON(bytes, kind: kind, triesFastPath: false).signingDate(kind)
            },
            outcome { () throws(SignedDataRefusal) in
                try PayloadJSON.decode(bytes, kind) { members throws(SignedDataRefusal) in try members.signingDate() }
            }
        )
    }

    @Test("before a signature is checked the date is what a decoder of the whole payload finds, however it is damaged")
    func signingDate() throws {
        let dates = [
            "1700000000000", "1700000000000.75", "1.7e12", "-1", "null", "\"1700000000000\"", "true", "[1]", "{}",
            "9999999999999999999",
        ]
        let marks = [#""transactionId":"1""#, #""transaction\u0049d":"1""#, #""notificationUUID":{"a":[1,"]"]}"#, ""]
        for kind in PayloadKind.allCases {
            for date in dates {
                for mark in marks {
                    let name = kind.dateMember.stringValue
                    for text in [
                        "{\(mark)\(mark.isEmpty ? "" : ",")\"\(name)\":\(date)}",
                        "{\"\(name)\":\(date),\"\(name)\":1,\"x\":{\"\(name)\":2}\(mark.isEmpty ? "" : ",")\(mark)}",
                    ] {
                        let found = Self.dates(Array(text.utf8), kind)
                        #expect(found.excerpt == found.whole, "\(text)")
                    }
                }
            }
        }
        var random = SeededGenerator(seed: 410_001)
        var refused: [[UInt8]] = []
        let payload = try Payloads.bytes("notification")
        for _ in 0..<1_500 {
            var bytes = payload
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] =
                    Array("{}[]\",:\\0n".utf8).randomElement(using: &random) ?? 0
            }
            let found = Self.dates(bytes, .notification)
            guard found.excerpt != found.whole else { continue }
            // A decoder does not look at what it does not read; the excerpt is of JSON only.
            #expect(
                found.excerpt == "malformedPayload: the payload is not JSON",
                "seed \(random.seed): \(String(decoding: bytes, as: UTF8.self))")
            refused.append(bytes)
        }
        #expect(refused.count > 10)
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
        let values = { (count: Int) in repeatElement("0", count: count).joined(separator: ",") }
        let payload = { (count: Int) in
            Array("{\"notificationUUID\":\"1\",\"signedDate\":1700000000000,\"x\":[\(values(count))]}".utf8)
        }
        let found = Self.dates(payload(8_188), .notification)
        #expect(found.excerpt == found.whole && found.whole.hasPrefix("2023"))
        #expect(
            Self.dates(payload(8_189), .notification).excerpt
                == "malformedPayload: the payload has more than 8192 values")
    }

    @Test("what Apple writes is plain; what only a decoder may judge is not")
    func plain() throws {
        for text in [
            #"{"a":"b","c":-12,"d":true,"e":null,"f":{"g":1},"h":{}}"#, " {\n\"a\" : 1 } ", "{}",
            #"{"a":999999999999999999}"#,
        ] {
            #expect(FastPathPayload(Array(text.utf8)) != nil, "\(text)")
        }
        for text in [
            "", "[]", "1", "{} {}", #"{"a":1,"a":1}"#, #"{"a":1.5}"#, #"{"a":1e2}"#, #"{"a":01}"#, #"{"a":"\u0061"}"#,
            #"{"a":1000000000000000000}"#, #"{"a":[1]}"#, #"{"a":1,}"#, #"{"a" 1}"#, #"{"a":nul}"#, "{\"a\":\"\u{1}\"}",
            #"{"a":{"b":{"c":{"d":{}}}}}"#, #"{"a":- 1}"#, "\u{FEFF}{}",
        ] {
            #expect(FastPathPayload(Array(text.utf8)) == nil, "\(text)")
        }
        let many = { (count: Int) in "{\((0..<count).map { "\"m\($0)\":1" }.joined(separator: ","))}" }
        #expect(FastPathPayload(Array(many(64).utf8)) != nil)
        #expect(FastPathPayload(Array(many(65).utf8)) == nil, "members are compared with each other")
        #expect(FastPathPayload([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]) == nil)
    }
}
