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
