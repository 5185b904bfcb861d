import Foundation
import JSON
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferAPI

@Suite("Bodies are written in the order of their members' names")
struct WireWriterTests {
    /// The answers that backends ask for, and one of every kind of value.
    private static let answers: [any WireObject.Type] = [
        IssuedOfferView.self, IngestReport.self, DecisionsBody.self, StatusBody.self, OfferSummary.self,
        FunnelReport.self, OfferSeries.self, PageBody<ExportedOffer>.self, CustomerDetails.self, EventBody.self,
        ProblemBody.self,
        NotificationBody.self, SignatureDiagnosis.self, UnlinkRequestBody.self, RefreshRequestBody.self,
    ]

    @Test(
        "each is byte for byte what an encoder writes, and is read back to the same value", arguments: answers.indices)
    func same(index: Int) throws {
        func check<Body: WireObject>(_ type: Body.Type) throws {
            for seed in (350_002 as UInt64)..<350_052 {
                var random = RandomMembers(seed: seed)
                var body = Body()
                body.visit(&random)
                let bytes = try WireJSON.encode(body)
                let text = String(decoding: bytes, as: UTF8.self)
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                let read = try JSONDecoder().decode(AnyJSON.self, from: Data(bytes))
                #expect(String(decoding: try encoder.encode(read), as: UTF8.self) == text, "seed \(seed)")
                #expect(try WireJSON.decode(Body.self, from: bytes) == body, "seed \(seed): \(text)")
            }
        }
        try check(Self.answers[index])
    }

    @Test("a number that JSON cannot hold is refused, however deep it is")
    func notFinite() {
        let evidence = EvidenceBody { $0.observed = .list([.number(1.5), .number(.infinity)]) }
        let finding = FindingBody { $0.evidence = [evidence] }
        let body = DecisionsBody { $0.decisions = [DecisionBody { $0.findings = [finding] }] }
        #expect(throws: JSONWriter.NotFinite.self) { try WireJSON.encode(body) }
    }

    @Test("a request is written in the order of the names too")
    func request() throws {
        let body = UnlinkRequestBody { body in
            body.customer = CustomerIdentifiers(originalTransactionId: "1", customerId: "c")
            (body.aliases.customerId, body.reason) = ("d", "r")
        }
        #expect(
            String(decoding: try WireJSON.encode(body), as: UTF8.self)
                == #"{"aliases":{"customerId":"d"},"customer":{"customerId":"c","originalTransactionId":"1"},"reason":"r"}"#
        )
    }
}

/// Fills an object with values of all kinds, by the list of its members.
private struct RandomMembers: MemberVisitor {
    private static let texts = [
        "", "plain", "com.example.pro.monthly", #"a"b\c/d"#, "\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F}\u{7F}\u{80}", "é☃𝄞",
        "line\u{2028}end", "e30.eyJ9.AQI-_", "0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b", "P3M",
    ]

    private var random: SeededGenerator
    private var depth = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func required<Value: WireValue>(_ name: StaticString, _ value: inout Value) {
        while true {
            // Not every text is a UUID or a period.
            guard let found = try? WireJSON.decode(Value.self, from: json(Value.form)) else { continue }
            value = found
            return
        }
    }

    mutating func optional<Value: WireValue>(_ name: StaticString, _ value: inout Value?) {
        value = nil
        if Bool.random(using: &random) { value = try? WireJSON.decode(Value.self, from: json(Value.form)) }
    }

    mutating func defaulted<Value: WireValue>(_ name: StaticString, _ value: inout Value) { required(name, &value) }

    private mutating func text() -> [UInt8] {
        var json = JSONWriter()
        json.text(Self.texts.randomElement(using: &random) ?? "")
        return json.bytes
    }

    private mutating func json(_ form: WireForm) -> [UInt8] {
        switch form {
        case .text: return text()
        case .integer: return Array(String(Int64.random(in: -1_000...2_000_000_000_000, using: &random)).utf8)
        case .number: return Array(["0.25", "-1", "1e+300", "17"].randomElement(using: &random)?.utf8 ?? "0".utf8)
        case .boolean: return Array(Bool.random(using: &random) ? "true".utf8 : "false".utf8)
        case .anything: return Array(#"{"a":[null,true,{"b":-0.5}],"c":"d"}"#.utf8)
        case .schema:
            let facts = [#""x""#, "1.5", "true", #"{"amount":"4.99","currency":"USD"}"#, #"{"at":5}"#]
            return Array(facts.randomElement(using: &random)?.utf8 ?? "0".utf8)
        case .word(let type): return word(type)
        case .list(let type): return list(type)
        case .map(let type):
            let (first, second) = (json(type.form), json(type.form))
            return Array(#"{"é":"#.utf8) + first + Array(#","a":"#.utf8) + second + Array("}".utf8)
        case .object(let type): return object(type)
        }
    }

    private mutating func word<Word: WireWord>(_ type: Word.Type) -> [UInt8] {
        Array("\"\(type.allCases.randomElement(using: &random)?.rawValue ?? "")\"".utf8)
    }

    private mutating func list<Element: WireValue>(_ type: Element.Type) -> [UInt8] {
        guard depth < 3, Bool.random(using: &random) else { return Array("[]".utf8) }
        return Array("[".utf8) + json(Element.form) + Array("]".utf8)
    }

    private mutating func object<Object: WireObject>(_ type: Object.Type) -> [UInt8] {
        depth += 1
        defer { depth -= 1 }
        var object = Object()
        object.visit(&self)
        return (try? WireJSON.encode(object)) ?? []
    }
}

/// Any JSON, for an implementation that shares no code with ours.
private indirect enum AnyJSON: Codable {
    case null
    case whole(Int64)
    case number(Double)
    case flag(Bool)
    case text(String)
    case list([AnyJSON])
    case object([String: AnyJSON])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let whole = try? value.decode(Int64.self) {
            self = .whole(whole)
        } else if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([AnyJSON].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: AnyJSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .whole(let whole): try value.encode(whole)
        case .number(let number): try value.encode(number)
        case .flag(let flag): try value.encode(flag)
        case .text(let text): try value.encode(text)
        case .list(let list): try value.encode(list)
        case .object(let members): try value.encode(members)
        }
    }
}
