import OfferModel
import OfferSigning
import Synchronization

/// Bounds the public-key work that the data of one request costs: one check for each JWS, and at most two for each chain,
/// of which there may be ``mostChains``.
///
/// Chains count whether or not they were verified lately, so the answer is the same. A chain that fails is not checked
/// again in the same request.
final class RequestVerifier: SignedDataVerifier {
    /// How many chains one request may bring. Apple has two or three in use at a time.
    static let mostChains = 16

    private let verifier: AppStoreChainVerifier
    /// The chains of the request; with its refusal where one failed.
    private let chains = Mutex<[[UInt8]: SignedDataRefusal?]>([:])

    init(_ verifier: AppStoreChainVerifier) {
        self.verifier = verifier
    }

    func verify(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> TrustAnchor {
        let examined = try verifier.examined(jws, date, environment)
        try admit(examined)
        try verifier.verifyData(of: jws, under: examined)
        if let failure = chains.withLock({ $0[examined.key] ?? nil }) { throw failure }
        do throws(SignedDataRefusal) {
            try verifier.verifyChain(examined)
        } catch {
            chains.withLock { $0[examined.key] = .some(error) }
            throw error
        }
        return examined.verified.anchor
    }

    func examine(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) {
        try admit(verifier.examined(jws, date, environment))
    }

    private func admit(_ examined: ExaminedChain) throws(SignedDataRefusal) {
        let isAdmitted = chains.withLock { chains in
            if chains[examined.key] != nil { return true }
            guard chains.count < Self.mostChains else { return false }
            chains[examined.key] = .some(nil)
            return true
        }
        guard isAdmitted else {
            throw SignedDataRefusal(
                .tooManyChains,
                "the request brings data under more than \(Self.mostChains) certificate chains: fetch it from StoreKit again"
            )
        }
    }
}
