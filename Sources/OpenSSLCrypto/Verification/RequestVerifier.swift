import OfferModel
import OfferSigning
import Synchronization

/// Bounds the public-key work that the data of one request costs: one check for each JWS, and at most two for each chain,
/// of which there may be ``mostChains``.
///
/// Chains count whether or not they were verified lately, so the answer is the same.
final class RequestVerifier: SignedDataVerifier {
    /// How many chains one request may bring. Apple has two or three in use at a time.
    static let mostChains = 16

    private let verifier: AppStoreChainVerifier
    private let chains = Mutex<Set<[UInt8]>>([])

    init(_ verifier: AppStoreChainVerifier) {
        self.verifier = verifier
    }

    func verify(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> TrustAnchor {
        let examined = try verifier.examined(jws, date, environment)
        try admit(examined)
        return try verifier.verify(jws, under: examined)
    }

    func examine(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) {
        try admit(verifier.examined(jws, date, environment))
    }

    private func admit(_ examined: ExaminedChain) throws(SignedDataRefusal) {
        let isAdmitted = chains.withLock { chains in
            if chains.count < Self.mostChains { chains.insert(examined.key) }
            return chains.contains(examined.key)
        }
        guard isAdmitted else {
            throw SignedDataRefusal(
                .tooManyChains,
                "the request brings data under more than \(Self.mostChains) certificate chains: fetch it from StoreKit again"
            )
        }
    }
}
