import OfferModel
import OfferSigning
import OpenSSLCrypto
import Testing

@Suite("Certificates of App Store data: what each must be")
struct ChainContentsTests {
    typealias Change = @Sendable (inout TestChain.Profiles) -> Void

    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: SignedDataRefusal.Code
        let certificate: String
        let change: Change

        init(_ name: String, _ code: SignedDataRefusal.Code, _ certificate: String, _ change: @escaping Change) {
            testDescription = name
            self.code = code
            self.certificate = certificate
            self.change = change
        }
    }

    static let wrong = [
        Wrong("a leaf without Apple's marker", .missingLeafExtension, "leaf") { $0.leaf.markers = [] },
        Wrong("a leaf with the other marker", .missingLeafExtension, "leaf") {
            $0.leaf.markers = [AppleMarker.intermediate]
        },
        Wrong("an intermediate without Apple's marker", .missingIntermediateExtension, "intermediate") {
            $0.intermediate.markers = []
        },
        Wrong("an intermediate with the other marker", .missingIntermediateExtension, "intermediate") {
            $0.intermediate.markers = [AppleMarker.leaf]
        },
        Wrong("a leaf that is an authority", .wrongBasicConstraints, "leaf") {
            $0.leaf.isAuthority = true
            $0.intermediate.pathLength = nil
        },
        Wrong("an intermediate that is no authority", .wrongBasicConstraints, "intermediate") {
            $0.intermediate.isAuthority = false
            $0.intermediate.pathLength = nil
        },
        Wrong("an intermediate without basic constraints", .wrongBasicConstraints, "intermediate") {
            $0.intermediate.hasBasicConstraints = false
        },
        Wrong("a root that is no authority", .wrongBasicConstraints, "root") { $0.root.isAuthority = false },
        Wrong("a root without basic constraints", .wrongBasicConstraints, "root") {
            $0.root.hasBasicConstraints = false
        },
        Wrong("a root that allows no authority below it", .wrongBasicConstraints, "root") { $0.root.pathLength = 0 },
        Wrong("an intermediate that may not sign certificates", .wrongBasicConstraints, "intermediate") {
            $0.intermediate.keyUsage = .digitalSignature
        },
        Wrong("a root that may not sign certificates", .wrongBasicConstraints, "root") { $0.root.keyUsage = .cRLSign },
        Wrong("a leaf that may not sign data", .wrongBasicConstraints, "leaf") { $0.leaf.keyUsage = .keyCertSign },
        Wrong("a leaf on P-384", .unsupportedKey, "leaf") { $0.leaf.curve = .p384 },
        Wrong("an unknown critical extension in the leaf", .unknownCriticalExtension, "leaf") {
            $0.leaf.criticalMarkers = ["1.3.6.1.4.1.99999.1"]
        },
        Wrong("an unknown critical extension in the intermediate", .unknownCriticalExtension, "intermediate") {
            $0.intermediate.criticalMarkers = ["1.3.6.1.4.1.99999.1"]
        },
        Wrong("a critical extension that is known elsewhere but not judged here", .unknownCriticalExtension, "leaf") {
            $0.leaf.criticalMarkers = ["2.5.29.54"]
        },
        Wrong("an unknown critical extension in the root", .unknownCriticalExtension, "root") {
            $0.root.criticalMarkers = ["1.3.6.1.4.1.99999.1"]
        },
    ]

    @Test("a wrong certificate is refused by its own code and named", arguments: wrong)
    func refused(_ wrong: Wrong) throws {
        let chain = try TestChain(wrong.change)
        let refusal = try chain.verifier().refusal(chain: chain.der)
        #expect(refusal?.code == wrong.code)
        #expect(refusal?.detail.hasPrefix("the \(wrong.certificate) certificate") == true)
    }

    static let right: [(String, Change)] = [
        ("as Apple's", { _ in }),
        (
            "without key usages",
            {
                $0.root.keyUsage = []
                $0.intermediate.keyUsage = []
                $0.leaf.keyUsage = []
            }
        ),
        ("a leaf without basic constraints", { $0.leaf.hasBasicConstraints = false }),
        ("with exact path lengths", { $0.root.pathLength = 1 }),
        ("with an intermediate without path length", { $0.intermediate.pathLength = nil }),
        (
            "with critical markers",
            {
                $0.leaf.markers = []
                $0.leaf.criticalMarkers = [AppleMarker.leaf]
                $0.intermediate.markers = []
                $0.intermediate.criticalMarkers = [AppleMarker.intermediate]
            }
        ),
        ("with an unknown extension that is not critical", { $0.leaf.markers.append("1.3.6.1.4.1.99999.1") }),
        (
            "on P-256 throughout",
            {
                $0.root.curve = .p256
                $0.intermediate.curve = .p256
            }
        ),
    ]

    @Test("a right chain is accepted", arguments: right.indices)
    func accepted(_ index: Int) throws {
        let (name, change) = Self.right[index]
        let chain = try TestChain(change)
        #expect(try chain.verifier().refusal(chain.sign()) == nil, "\(name)")
    }
}
