import Foundation
import OfferModel
import OfferSigning
import OfferTestSupport
import ReaderFuzzing
import Testing

/// The inputs that `Scripts/fuzz` begins with. A name with a point begins with what must become of the input; the
/// others were found by libFuzzer because they reach code that no earlier one did.
@Suite("Any bytes to the readers of signed data") struct ReaderFuzzingTests {
    private let fuzzing: ReaderFuzzing

    init() throws {
        fuzzing = try ReaderFuzzing()
    }

    private static let project = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The kept inputs with their names, in the order of these.
    private func inputs() throws -> [(name: String, bytes: [UInt8])] {
        let folder = Self.project.appending(path: "Fuzzing/Corpus")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
            ($0, Array(try Data(contentsOf: folder.appending(path: $0))))
        }
    }

    @Test(
        "every kept input breaks no promise and becomes what its name says; together they meet every refusal that a stranger's bytes can bring about (invariants 6 and 10)"
    )
    func keptInputs() throws {
        var expected = 0
        var met: Set<String> = []
        for (name, bytes) in try inputs() {
            do {
                let outcome = try fuzzing.outcome(of: bytes)
                met.insert(outcome.name)
                guard let point = name.firstIndex(of: ".") else { continue }
                expected += 1
                #expect(outcome.name == String(name[..<point]), "\(name)")
            } catch {
                Issue.record(error, "\(name)")
            }
        }
        #expect(expected >= 60)
        // A certificate that a trusted authority signed is what the rest needs: `ChainContentsTests` makes such ones.
        let unreachable: Set<SignedDataRefusal.Code> = [
            .wrongBasicConstraints, .unknownCriticalExtension, .missingLeafExtension, .missingIntermediateExtension,
            .unsupportedKey, .environmentNotSupported, .tooManyChains,
        ]
        for code in SignedDataRefusal.Code.allCases where !unreachable.contains(code) {
            #expect(met.contains(code.rawValue), "\(code.rawValue)")
        }
    }

    @Test("another implementation finds the signature of what is accepted, for each kind of data")
    func otherImplementation() throws {
        let scratch = try TemporaryDirectory()
        try scratch.write(fuzzing.rootDER, to: "root.der")
        let script = Self.project.appending(path: "Tests/LocalAppStoreTests/Fixtures/verify_jws.py").path
        let named = Dictionary(uniqueKeysWithValues: try inputs().map { ($0.name, $0.bytes) })
        for kind in ["transaction", "renewal-info", "app-transaction", "notification-with-signed-parts"] {
            let outcome = try fuzzing.outcome(of: try #require(named["accepted.\(kind)"]))
            guard case .accepted(let jws) = outcome else {
                Issue.record("\(kind): \(outcome)")
                continue
            }
            let verdict = try Command.run("python3", [script, scratch.path("root.der")], input: Array(jws.utf8))
            #expect(verdict.text == "valid\n", "\(kind): \(verdict.errorText)")
        }
    }

    @Test("a verifier that trusts everybody is noticed, whatever was done to the data (invariant 6)")
    func gullible() throws {
        let gullible = try ReaderFuzzing(verifier: GullibleVerifier())
        let payload =
            #"{"transactionId":"1","originalTransactionId":"1","bundleId":"com.example.pro","productId":"p","#
            + #""purchaseDate":1769904000000,"signedDate":1769904000000,"environment":"Sandbox"}"#
        let unsigned = "e30.\(Base64URL.encode(Array(payload.utf8))).e30"
        // A leaf certificate whose first byte is another, and a header that names only the root.
        let inputs = ["tj" + unsigned, "tc\0\0\0\0\0\u{1}" + payload, "th{\"x5c\":[\"{root}\"]}\0" + payload]
        for input in inputs {
            let broken = try #require(throws: BrokenPromise.self) { try gullible.outcome(of: Array(input.utf8)) }
            #expect(broken.description == "accepted what nobody signed")
        }
        #expect(try gullible.outcome(of: Array(("tp" + payload).utf8)).name == "accepted")
    }
}

/// Trusts everybody.
private struct GullibleVerifier: SignedDataVerifier {
    func verify(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> TrustAnchor {
        .configured
    }
}
