import FoundationEssentials
public import OfferModel
public import OfferSigning
import Synchronization

/// Verifies App Store data: the certificate chain to a pinned root, and the signature (invariant 6).
///
/// ```
/// size, count, trusted root → DER, names, markers, dates → signature of the data → signatures of the chain
/// no public-key work                                       one check               two, unless lately verified
/// ```
///
/// A stranger can put a leaf of their own under Apple's public certificates, so the data is checked against the leaf's key
/// first: each attempt costs them a signature. Production trusts Apple Root CA - G3 alone; Sandbox that and the configured
/// roots; LocalTesting the configured roots alone; Xcode nothing.
public final class AppStoreChainVerifier: SignedDataVerifier {
    private let roots: TrustedRoots
    let cache: ChainCache<VerifiedChain>
    private let intermediates: ChainCache<TrustAnchor>
    private let keys = ChainKeys()
    private let operations = Atomic(0)

    /// How often a signature was checked with a public key.
    var publicKeyOperations: Int { operations.load(ordering: .relaxed) }

    /// The longest text of a certificate; Apple's have less than 2,000 bytes.
    private static let longestCertificate = 16 * 1_024

    /// A verifier with its cache of chains.
    ///
    /// - Parameters:
    ///   - additionalRoots: further trusted roots in DER, for Sandbox and LocalTesting.
    ///   - cacheCapacity: the most chains to remember.
    ///   - cacheLifetime: how long after its verification a chain is remembered; Apple's libraries use 15 minutes.
    ///   - now: a clock for that lifetime.
    /// - Throws: ``CertificateError`` for a root that cannot be trusted, such as any for Production.
    public init(
        additionalRoots: [AppStoreEnvironment: [[UInt8]]] = [:], cacheCapacity: Int = 64,
        cacheLifetime: Duration = .seconds(900),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) throws(CertificateError) {
        roots = try TrustedRoots(additional: additionalRoots)
        cache = ChainCache(capacity: cacheCapacity, lifetime: cacheLifetime, now: now)
        intermediates = ChainCache(capacity: cacheCapacity, lifetime: cacheLifetime, now: now)
    }

    /// Checks the algorithm, the chain at the effective date, and the signature.
    ///
    /// - Returns: whose root the chain leads to.
    /// - Throws: `SignedDataRefusal`, naming the certificate at fault.
    @discardableResult
    public func verify(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> TrustAnchor {
        try verify(jws, under: examined(jws, date, environment))
    }

    /// Makes the same checks but for the signatures, of the data and in the chain.
    public func examine(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) {
        _ = try examined(jws, date, environment)
    }

    /// The same verifier, for as many chains in one request as ``RequestVerifier`` allows.
    public func forOneRequest() -> any SignedDataVerifier { RequestVerifier(self) }

    /// Checks a chain alone, as `verify` does besides the signature of the data.
    ///
    /// - Parameter certificates: `x5c` as it stands in a header: standard Base64 of DER, leaf first.
    /// - Returns: whose root it leads to.
    /// - Throws: `SignedDataRefusal`, naming the certificate at fault.
    @discardableResult
    public func verifyChain(
        _ certificates: [String], effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> TrustAnchor {
        let examined = try examined(certificates, date, environment)
        if let chain = examined.unverified { try verify(chain, of: examined) }
        return examined.verified.anchor
    }

    /// What is known of data before public-key work.
    func examined(
        _ jws: CompactJWS, _ date: Instant, _ environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> ExaminedChain {
        guard jws.header.alg == "ES256" else {
            throw SignedDataRefusal(
                .unsupportedAlgorithm, "the header's `alg` is `\(jws.header.alg ?? "absent")`, not `ES256`")
        }
        let examined = try examined(jws.header.x5c ?? [], date, environment)
        guard jws.signature.count == 64 else {
            throw SignedDataRefusal(
                .badSignature, "the signature has `\(jws.signature.count)` bytes, ES256 has 64")
        }
        return examined
    }

    /// Does the public-key work for data that was examined.
    private func verify(_ jws: CompactJWS, under examined: ExaminedChain) throws(SignedDataRefusal) -> TrustAnchor {
        try verifyData(of: jws, under: examined)
        try verifyChain(examined)
        return examined.verified.anchor
    }

    /// Checks the data against the leaf's key.
    func verifyData(of jws: CompactJWS, under examined: ExaminedChain) throws(SignedDataRefusal) {
        operations.add(1, ordering: .relaxed)
        guard examined.verified.leaf.isValid(rawSignature: jws.signature, of: jws.signingInput) else {
            throw SignedDataRefusal(
                .badSignature, "the signature does not belong to the leaf certificate's key and the data")
        }
    }

    /// Checks the signatures in the chain, unless it was verified lately.
    func verifyChain(_ examined: ExaminedChain) throws(SignedDataRefusal) {
        if let chain = examined.unverified { try verify(chain, of: examined) }
    }

    private func examined(
        _ certificates: [String], _ date: Instant, _ environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> ExaminedChain {
        guard let trusted = roots[environment] else {
            throw SignedDataRefusal(
                .environmentNotSupported,
                "data of `\(environment.rawValue)` cannot be verified and is refused")
        }
        guard certificates.count == 3 else {
            throw SignedDataRefusal(
                .certificateCount, "`x5c` must hold 3 certificates, it holds \(certificates.count)")
        }
        if let key = keys.key(of: certificates, trusted: trusted.digest), let known = cache.verified(for: key) {
            try known.validity.check(date)
            return ExaminedChain(key: key, verified: known)
        }
        let der = try decode(certificates)
        guard trusted.contains(der[2]) else {
            throw SignedDataRefusal(
                .untrustedRoot, "the root certificate is not trusted for `\(environment.rawValue)`")
        }
        let chain = try CertificateChain(der: der)
        try chain.checkContents()
        let validity = ChainValidity(chain)
        try validity.check(date)
        try chain.checkIssuers()
        let key = try chain.key(trusted)
        if let known = cache.verified(for: key) {
            keys.remember(key, of: certificates, trusted: trusted.digest)
            return ExaminedChain(key: key, verified: known)
        }
        guard let leaf = try? VerifyingContext(key: chain.leaf.publicKey) else {
            throw SignedDataRefusal(.unsupportedKey, "the leaf certificate's key cannot be used to verify")
        }
        return ExaminedChain(
            key: key,
            verified: VerifiedChain(leaf: leaf, validity: validity, anchor: TrustedRoots.anchor(of: der[2])),
            unverified: UnverifiedChain(
                chain: chain, intermediateKey: try chain.intermediateKey(trusted), certificates: certificates,
                trusted: trusted.digest))
    }

    /// Checks the signatures of a chain. No lock is held meanwhile: two tasks may do it twice.
    private func verify(_ new: UnverifiedChain, of examined: ExaminedChain) throws(SignedDataRefusal) {
        if intermediates.verified(for: new.intermediateKey) == nil {
            operations.add(1, ordering: .relaxed)
            try new.chain.checkIntermediateSignature()
            intermediates.insert(examined.verified.anchor, for: new.intermediateKey)
        }
        operations.add(1, ordering: .relaxed)
        try new.chain.checkLeafSignature()
        cache.insert(examined.verified, for: examined.key)
        keys.remember(examined.key, of: new.certificates, trusted: new.trusted)
    }

    /// Decodes what is exactly the Base64 of something: another text of the same bytes would be looked at anew.
    private func decode(_ certificates: [String]) throws(SignedDataRefusal) -> [[UInt8]] {
        var der = [[UInt8]]()
        for (name, text) in zip(["leaf", "intermediate", "root"], certificates) {
            guard text.utf8.count <= Self.longestCertificate else {
                throw SignedDataRefusal(
                    .malformedCertificate,
                    "the \(name) certificate is not within \(Self.longestCertificate) bytes of Base64")
            }
            guard let bytes = Data(base64Encoded: text).map(Array.init),
                Base64.encode(bytes).utf8.elementsEqual(text.utf8)
            else {
                throw SignedDataRefusal(
                    .malformedCertificate, "the \(name) certificate is not standard Base64")
            }
            der.append(bytes)
        }
        return der
    }
}
