import AppStoreData
import OfferModel
public import OfferSigning
import OpenSSLCrypto

/// Gives any bytes to the readers of signed data and judges what they do (invariants 6 and 10).
///
/// ```
/// input = reader letter, delivery letter, rest        np{"notificationType":"TEST",…}
///         t r a n         p j h e c r n
///         in upper case: for Production
/// ```
///
/// A letter that names nothing stands for one that does, so that no input is lost. A further reader of signed data is a
/// case of `FuzzedReader`, a further way to make what it reads one of `Delivery`.
public struct ReaderFuzzing: Sendable {
    static let app: BundleId = "com.example.pro"
    static let appAppleId: Int64 = 1_234_567_890
    /// The same in every run: 60 s after the dates in the kept inputs.
    static let now = Instant(milliseconds: 1_770_000_060_001)

    private let chain: FuzzedChain
    private let verifier: any SignedDataVerifier

    /// Readers that trust a chain made for this.
    public init() throws {
        chain = try FuzzedChain()
        verifier = try Self.verifier(trusting: chain)
    }

    /// Readers with a verifier of a test's own, to show that what must not happen is noticed.
    public init(verifier: any SignedDataVerifier) throws {
        chain = try FuzzedChain()
        self.verifier = verifier
    }

    /// The trusted root in DER, for another implementation to judge by.
    public var rootDER: [UInt8] { chain.certificates[2] }

    /// Delivers one input.
    ///
    /// - Returns: what its reader answered.
    /// - Throws: ``BrokenPromise``; what libcrypto throws when it cannot sign.
    public func outcome(of input: [UInt8]) throws -> Outcome {
        var bytes = InputBytes(input)
        let first = bytes.byte()
        let isProduction = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
        let reader = Self.named(isProduction ? first + 0x20 : first, FuzzedReader.self)
        let delivery = Self.named(bytes.byte(), Delivery.self)
        let delivered = try delivery.deliver(&bytes, by: chain, longest: reader.longestPayload)
        let environment: AppStoreEnvironment = isProduction ? .production : .sandbox
        let outcome = try Judge(environment: environment, delivered: delivered, verifier: verifier)
            .outcome(for: reader)
        // A chain that is not remembered costs a millisecond, so few inputs try whether remembering it matters.
        if input.count % 64 == 0 {
            let cold = try Judge(
                environment: environment, delivered: delivered, verifier: Self.verifier(trusting: chain)
            ).outcome(for: reader)
            guard cold == outcome else {
                throw BrokenPromise("`\(outcome.name)` with remembered chains, `\(cold.name)` without")
            }
        }
        return outcome
    }

    private static func verifier(trusting chain: FuzzedChain) throws -> any SignedDataVerifier {
        try AppStoreChainVerifier(additionalRoots: [.sandbox: [chain.certificates[2]]])
    }

    private static func named<Choice: CaseIterable & RawRepresentable>(_ letter: UInt8, _ type: Choice.Type) -> Choice
    where Choice.RawValue == Character, Choice.AllCases == [Choice] {
        Choice(rawValue: Character(Unicode.Scalar(letter)))
            ?? Choice.allCases[Int(letter) % Choice.allCases.count]
    }
}
