import OfferSigning
import OfferTestSupport
import Testing

@Suite("Compact JWS and base64url")
struct CompactJWSTests {
    @Test("base64url comes back as it was and agrees with Python's")
    func base64URL() throws {
        var random = SeededGenerator(seed: 5)
        for count in 0..<80 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(Base64URL.decode(Base64URL.encode(bytes).utf8) == bytes, "seed \(random.seed)")
        }
        let all = (0...255).map { UInt8($0) }
        let program =
            "import base64, sys; print(base64.urlsafe_b64encode(sys.stdin.buffer.read()).decode().rstrip('='))"
        #expect(
            try Command.run("python3", ["-c", program], input: all).text == Base64URL.encode(all) + "\n")
    }

    @Test(
        "base64url with padding, another alphabet, an impossible length or stray bits is refused",
        arguments: ["QQ==", "Q+8", "Q/8", "Q", "QR", "Q Q", "é"])
    func badBase64URL(_ text: String) {
        #expect(Base64URL.decode(text.utf8) == nil)
    }

    @Test(
        "what is not three base64url parts with a JSON header is refused as malformed",
        arguments: [
            "", "a.b", "e30.e30.e30.e30", "e30.e30.=", "!.e30.e30", "e30.!.e30", "W10.e30.e30",
            "Zm9v.e30.e30",
        ])
    func malformed(_ text: String) {
        let refusal = #expect(throws: SignedDataRefusal.self) { try CompactJWS(parsing: text) }
        #expect(refusal?.code == .malformedJws)
    }

    @Test(
        "a header of strangers costs little: its length, its values and its depth are bounded, and no name is repeated")
    func boundedHeader() throws {
        func header(_ json: String) throws -> CompactJWS.Header {
            try CompactJWS(parsing: "\(Base64URL.encode(Array(json.utf8))).e30.AA").header
        }
        func refusal(_ json: String) -> SignedDataRefusal? {
            #expect(throws: SignedDataRefusal.self) { try header(json) }
        }
        let texts = { (count: Int) in repeatElement("\"\"", count: count).joined(separator: ",") }
        #expect(try header("{\"x5c\":[\(texts(62))]}").x5c?.count == 62)
        let longest = String(repeating: "a", count: 64 * 1_024 * 3 / 4 - 10)
        #expect(try header("{\"alg\":\"\(longest)\"}").alg == longest)
        for json in [
            "{\"x5c\":[\(texts(63))]}", "{\"alg\":\"\(longest)a\"}", #"{"alg":"ES256","alg":"ES256"}"#,
            #"{"a":[[[[[[[[0]]]]]]]]}"#,
        ] { #expect(refusal(json)?.code == .malformedJws, "\(json.prefix(80))") }
        #expect(refusal("{\"alg\":\"\(longest)a\"}")?.detail == "the header has 65538 bytes, more than 65536")
    }

    @Test(
        "a header with `crit` is refused, whatever it names (RFC 7515 §4.1.11)",
        arguments: [#"["b64"]"#, "[]", "null", #""b64""#, #"["exp"],"exp":1"#])
    func criticalExtensions(_ value: String) {
        for name in ["crit", #"cr\u0069t"#] {
            let header = Base64URL.encode(Array(#"{"alg":"ES256","x5c":["AA=="],"\#(name)":\#(value)}"#.utf8))
            let refusal = #expect(throws: SignedDataRefusal.self) { try CompactJWS(parsing: "\(header).e30.AQI") }
            #expect(
                refusal
                    == SignedDataRefusal(
                        .malformedJws, "the header's `crit` demands extensions that are not understood here"))
        }
    }

    @Test("the signing input is everything before the second point, byte for byte")
    func signingInput() throws {
        let header = Base64URL.encode(Array(#"{"alg":"ES256","x5c":["AA=="],"other":1}"#.utf8))
        let jws = try CompactJWS(parsing: "\(header).e30.AQI")
        #expect(jws.header.alg == "ES256")
        #expect(jws.header.x5c == ["AA=="])
        #expect(jws.payload == Array("{}".utf8))
        #expect(jws.signature == [1, 2])
        #expect(jws.signingInput == Array("\(header).e30".utf8))
    }

    @Test("a header means what its own text says, however many others were read before it and however alike they are")
    func manyHeaders() throws {
        func header(_ number: Int) -> String {
            Base64URL.encode(Array(#"{"alg":"ES256","kid":"\#(number)","x5c":["AA=="]}"#.utf8))
        }
        for round in 0..<3 {
            for number in 0..<40 {
                let text = "\(header(number)).e30.AQI"
                let jws = try CompactJWS(parsing: text)
                #expect(jws.header.kid == "\(number)", "round \(round)")
                #expect(jws.signingInput == Array("\(header(number)).e30".utf8))
                #expect(try CompactJWS(parsing: text) == jws)
            }
        }
        // The text of one read before is the beginning of these.
        let known = Base64URL.encode(Array(#"{"alg":"ES256"}"#.utf8))
        #expect(try CompactJWS(parsing: "\(known).e30.AQI").header.alg == "ES256")
        for rest in ["e30", "A", "=", "."] {
            let refusal = #expect(throws: SignedDataRefusal.self) {
                try CompactJWS(parsing: "\(known)\(rest).e30.AQI")
            }
            #expect(refusal?.code == .malformedJws)
        }
        #expect(try CompactJWS(parsing: "\(known)ICAg.e30.AQI").header.alg == "ES256")
        #expect(throws: SignedDataRefusal.self) { try CompactJWS(parsing: known) }
        #expect(throws: SignedDataRefusal.self) { try CompactJWS(parsing: "\(known).") }
    }
}
