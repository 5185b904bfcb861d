import Foundation
import OfferModel
import OfferSigning
import OfferTestSupport
import OpenSSLCrypto
import Synchronization
import Testing

@Suite("Why StoreKit refuses a signature")
struct SignatureJudgeTests {
    static let keys = Result { try FaultySignature.Keys() }

    private func signature(_ format: ArtefactFormat, token: String? = FaultySignature.token) throws -> FaultySignature {
        FaultySignature(format, keys: try Self.keys.get(), token: token)
    }

    @Test("a signature over what the app passed is valid, in any case of the UUIDs", arguments: ArtefactFormat.allCases)
    func valid(_ format: ArtefactFormat) throws {
        var signature = try signature(format)
        #expect(try signature.diagnosis() == SignatureDiagnosis(verdict: .valid, causes: []))
        signature.passed.nonce = signature.passed.nonce?.uppercased()
        signature.passed.appAccountToken = signature.passed.appAccountToken?.uppercased()
        #expect(try signature.diagnosis() == SignatureDiagnosis(verdict: .valid, causes: []))
        let withoutToken = try self.signature(format, token: nil)
        #expect(try withoutToken.diagnosis().verdict == .valid)
    }

    @Test("each fault alone is named, exactly and with its certainty", arguments: SignatureFault.all)
    func oneFault(_ fault: SignatureFault) throws {
        var signature = try signature(fault.format)
        fault.make(&signature)
        let diagnosis = try signature.diagnosis()
        #expect(diagnosis.verdict == fault.verdict, "\(diagnosis)")
        #expect(diagnosis.causes.map(\.code) == [fault.code], "\(diagnosis)")
        #expect(diagnosis.causes.map(\.certainty) == [fault.certainty], "\(diagnosis)")
        #expect(diagnosis.causes.allSatisfy { !$0.message.isEmpty && !$0.fix.isEmpty })
    }

    @Test("every code has a fault that leads to it")
    func everyCode() {
        #expect(Set(SignatureFault.all.map(\.code)) == Set(SignatureDiagnosis.Code.allCases))
    }

    @Test(
        "of 200 random double faults none is named wrongly with certainty, and both are named", arguments: [20_261_123])
    func doubleFaults(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for number in 0..<200 {
            let list = number % 3 == 0 ? SignatureFault.jws : SignatureFault.v1
            let first = try #require(list.randomElement(using: &random))
            let second = try #require(
                list.filter { $0.exclusion != first.exclusion }.randomElement(using: &random))
            var signature = try signature(first.format)
            first.make(&signature)
            second.make(&signature)
            let diagnosis = try signature.diagnosis()
            let about = Comment(rawValue: "seed \(seed), \(number): \(first.name) and \(second.name): \(diagnosis)")
            let certain = Set(diagnosis.causes.filter { $0.certainty == .certain }.map(\.code))
            #expect(certain.isSubset(of: [first.code, second.code]), about)
            #expect(Set(diagnosis.causes.map(\.code)) == [first.code, second.code], about)
            let isInvalid = first.verdict == .invalid || second.verdict == .invalid
            #expect((diagnosis.verdict == .invalid) == isInvalid, about)
        }
    }

    @Test("three faults, a random order and an unknown key are never named wrongly with certainty")
    func beyondTheSearch() throws {
        var random = SeededGenerator(seed: 7)
        let stranger = try Sample.key()
        for number in 0..<30 {
            var signature = try signature(.v1)
            switch number % 3 {
            case 0: signature.order.shuffle(using: &random)
            case 1: (signature.fields[2], signature.fields[3], signature.fields[5]) = ("x", "y", "z")
            default: signature.signer = stranger
            }
            let diagnosis = try signature.diagnosis()
            let certain = diagnosis.causes.filter { $0.certainty == .certain }.map(\.code)
            #expect(certain == [] || (number % 3 == 0 && certain == [.fieldOrder]), "\(number): \(diagnosis)")
            #expect(diagnosis.verdict == .invalid || signature.order == Array(0..<7), "\(number): \(diagnosis)")
        }
    }

    @Test("what is missing is named, and what is visible all the same is found")
    func missing() throws {
        var empty = PassedSignature(format: .v1)
        let judge = try signature(.v1).judge
        #expect(
            try judge.diagnose(empty)
                == SignatureDiagnosis(
                    verdict: .unknown, causes: [],
                    missing: ["keyId", "nonce", "offerIdentifier", "productId", "signature", "timestamp"]))
        empty.timestamp = FaultySignature.now.milliseconds / 1_000
        #expect(try judge.diagnose(empty).causes.map(\.code) == [.timestampInSeconds])
        #expect(try judge.diagnose(empty).verdict == .invalid)
        let none = try judge.diagnose(PassedSignature(format: .v2))
        #expect(none.verdict == .unknown && none.missing == ["jws"])
    }

    @Test("a JWS without required claims is invalid, and they are named; wrong types count as absent")
    func missingClaims() throws {
        var signature = try signature(.introductoryEligibility)
        signature.claims["iat"] = "yesterday"
        signature.claims["allowIntroductoryOffer"] = "true"
        signature.claims["transactionId"] = nil
        let diagnosis = try signature.diagnosis()
        #expect(diagnosis.verdict == .invalid)
        #expect(diagnosis.missing == ["allowIntroductoryOffer", "iat", "transactionId"])
    }

    @Test("a key for tests or of another account is named although the signature verifies")
    func foreignKey() throws {
        for format in ArtefactFormat.allCases {
            let signature = try signature(format)
            let judge = SignatureJudge(
                bundleId: "com.example.pro", issuerId: nil,
                keys: [SignatureJudge.KnownKey(signature.keys.own, isAccepted: false)], now: FaultySignature.now)
            let diagnosis = try judge.diagnose(try signature.signed())
            #expect(diagnosis.verdict == .invalid && diagnosis.causes.map(\.code) == [.otherKey], "\(diagnosis)")
        }
    }

    @Test("without the key nothing is decided: the App Store may know it")
    func unknownKey() throws {
        for format in ArtefactFormat.allCases {
            var signature = try signature(format)
            signature.signer = try Sample.key()
            (signature.fields[1], signature.passed.keyId) = ("UNKNOWN001", format == .v1 ? "UNKNOWN001" : nil)
            signature.header["kid"] = "UNKNOWN001"
            let diagnosis = try signature.diagnosis()
            #expect(diagnosis.verdict == .unknown, "\(diagnosis)")
            #expect(diagnosis.causes.map(\.code) == [.otherKey] && diagnosis.causes.first?.certainty == .likely)
        }
    }

    @Test("a signature that nothing explains takes no more than 4,000 verifications, with any keys and catalog")
    func verifications() throws {
        let passed = try signature(.v1).signed()
        var catalog = FaultySignature.catalog
        let (product, offer) = (
            try #require(catalog.subscriptionGroups.first?.products.first), try #require(catalog.offers.first)
        )
        catalog.subscriptionGroups[0].products = (0..<300).map { number in
            var product = product
            product.productId = ProductId("product\(number)")
            return product
        }
        catalog.offers = (0..<300).map { number in
            var offer = offer
            (offer.id, offer.offerIdentifier) = (OfferId("offer\(number)"), OfferIdentifier("apple\(number)"))
            return offer
        }
        let refusals = Mutex(0)
        let judge = SignatureJudge(
            bundleId: "com.example.pro", issuerId: nil,
            // A number that does not divide the bound.
            keys: (0..<15).map { _ in
                SignatureJudge.KnownKey(RefusingKey(keyId: "2X9R4HXF34") { refusals.withLock { $0 += 1 } })
            },
            otherBundles: (0..<40).map { BundleId("com.example.app\($0)") }, catalog: catalog, now: FaultySignature.now)
        #expect(try judge.diagnose(passed).verdict == .invalid)
        #expect((3_900...4_000).contains(refusals.withLock(\.self)))
    }

    @Test("a product or an offer that the catalog does not have is only likely to be the cause")
    func unknownToTheCatalog() throws {
        var signature = try signature(.v1)
        (signature.fields[2], signature.passed.productId) = ("gone", "gone")
        (signature.fields[3], signature.passed.offerIdentifier) = ("gone10", "gone10")
        let diagnosis = try signature.diagnosis()
        #expect(diagnosis.verdict == .valid)
        #expect(diagnosis.causes.map(\.code) == [.otherProduct, .otherOffer])
        #expect(diagnosis.causes.allSatisfy { $0.certainty == .likely })
    }

    @Test("a signature without padding, which copying loses, is only likely to be passed so")
    func padding() throws {
        var signature = try signature(.v1)
        while true {
            signature.passed.signature = nil
            let passed = try signature.signed()
            guard let text = passed.signature, text.hasSuffix("=") else { continue }
            var cut = passed
            cut.signature = text.replacing("=", with: "")
            let diagnosis = try signature.judge.diagnose(cut)
            #expect(diagnosis.verdict == .valid && diagnosis.causes.map(\.code) == [.base64url])
            #expect(diagnosis.causes.first?.certainty == .likely)
            return
        }
    }

    @Test(
        "what is no signature and no JWS is refused by its member",
        arguments: [
            "", "=", "====", "a", "ab cd", "ü", "a.b", "a.b.c", "e30.e30.", "..", "e30..e30", "bnVsbA.bnVsbA.AA",
            "\u{2063}",
        ])
    func malformed(_ text: String) throws {
        let judge = try signature(.v1).judge
        var (v1, v2) = (PassedSignature(format: .v1), PassedSignature(format: .v2))
        (v1.signature, v2.jws) = (text, text)
        #expect(throws: MalformedArtefact.self) { try judge.diagnose(v2) }
        #expect(throws: MalformedArtefact.self) { try judge.diagnose(v1) }
    }

    @Test("random texts, cut and changed signatures and deep JSON are answered or refused")
    func hostile() throws {
        var random = SeededGenerator(seed: 99)
        let alphabet = Array("ABCxyz019+/-_=.{}\"[]: é\u{2063}\n")
        let jws = try #require(try signature(.v2).signed().jws)
        let deep = Data(String(repeating: "{\"a\":", count: 1_500).utf8).base64EncodedString().urlSafe
        for number in 0..<600 {
            var text = String(
                (0..<Int.random(in: 0..<200, using: &random)).compactMap { _ in alphabet.randomElement(using: &random) }
            )
            if number % 3 == 1 { text = String(jws.prefix(Int.random(in: 0..<jws.count, using: &random))) }
            if number % 3 == 2 { text = "e30.\(deep.prefix(Int.random(in: 0...deep.count, using: &random))).AAAA" }
            for format in ArtefactFormat.allCases {
                var signature = try signature(format)
                (signature.passed.nonce, signature.passed.appAccountToken) = (text, text)
                signature.passed.timestamp = [Int64.min, -1, 0, .max].randomElement(using: &random)
                (signature.passed.signature, signature.passed.jws) = (text, text)
                do {
                    let diagnosis = try signature.judge.diagnose(signature.passed)
                    #expect(diagnosis.verdict != .valid)
                } catch {
                    continue
                }
            }
        }
    }
}

/// A key that made no signature, and notes each that it is asked about.
private struct RefusingKey: SigningKey {
    let keyId: KeyId
    let works = true
    let note: @Sendable () -> Void

    init(keyId: KeyId, note: @escaping @Sendable () -> Void) {
        (self.keyId, self.note) = (keyId, note)
    }

    func derSignature(of message: [UInt8]) -> [UInt8] { [] }
    func rawSignature(of message: [UInt8]) -> [UInt8] { [] }

    func isValid(derSignature: [UInt8], of message: [UInt8]) -> Bool {
        note()
        return false
    }

    func isValid(rawSignature: [UInt8], of message: [UInt8]) -> Bool {
        note()
        return false
    }
}
