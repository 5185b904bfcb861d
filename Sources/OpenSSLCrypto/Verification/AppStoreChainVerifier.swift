import FoundationEssentials
public import OfferModel
public import OfferSigning

/// Verifies App Store data: the certificate chain to a pinned root, then the signature (invariant 6).
///
/// Cheap checks come first, so that a stranger cannot make the service do public-key work without showing a trusted
/// root. Production trusts Apple Root CA - G3 alone; Sandbox that and the configured roots; LocalTesting the
/// configured roots alone; Xcode nothing.
public final class AppStoreChainVerifier: SignedDataVerifier {
    private let roots: TrustedRoots
    let cache: ChainCache
    private let keys = ChainKeys()

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
    }

    /// Checks the algorithm, the chain at the effective date, and the signature.
    ///
    /// - Returns: whose root the chain leads to.
    /// - Throws: `SignedDataRefusal`, naming the certificate at fault.
    @discardableResult
    public func verify(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> TrustAnchor {
        guard jws.header.alg == "ES256" else {
            throw SignedDataRefusal(
                .unsupportedAlgorithm, "the header's `alg` is `\(jws.header.alg ?? "absent")`, not `ES256`")
        }
        let chain = try verifiedChain(jws.header.x5c ?? [], date, environment)
        guard jws.signature.count == 64 else {
            throw SignedDataRefusal(
                .badSignature, "the signature has `\(jws.signature.count)` bytes, ES256 has 64")
        }
        guard chain.leaf.isValid(rawSignature: jws.signature, of: jws.signingInput) else {
            throw SignedDataRefusal(
                .badSignature, "the signature does not belong to the leaf certificate's key and the data")
        }
        return chain.anchor
    }

    /// Checks a chain alone, as `verify` does before it looks at the signature.
    ///
    /// - Parameter certificates: `x5c` as it stands in a header: standard Base64 of DER, leaf first.
    /// - Returns: whose root it leads to.
    /// - Throws: `SignedDataRefusal`, naming the certificate at fault.
    @discardableResult
    public func verifyChain(
        _ certificates: [String], effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> TrustAnchor {
        try verifiedChain(certificates, date, environment).anchor
    }

    private func verifiedChain(
        _ certificates: [String], _ date: Instant, _ environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> VerifiedChain {
        guard let trusted = roots[environment] else {
            throw SignedDataRefusal(
                .environmentNotSupported,
                "data of `\(environment.rawValue)` cannot be verified and is refused")
        }
        guard certificates.count == 3 else {
            throw SignedDataRefusal(
                .certificateCount, "`x5c` must hold 3 certificates, it holds \(certificates.count)")
        }
        if let key = keys.key(of: certificates, trusted: trusted.digest), let known = cache.chain(for: key) {
            try known.validity.check(date)
            return known
        }
        let der = try decode(certificates)
        guard trusted.contains(der[2]) else {
            throw SignedDataRefusal(
                .untrustedRoot, "the root certificate is not trusted for `\(environment.rawValue)`")
        }
        let key = cacheKey(der, trusted)
        if let known = cache.chain(for: key) {
            try known.validity.check(date)
            keys.remember(key, of: certificates, trusted: trusted.digest)
            return known
        }
        let verified = try verifyAnew(der, date)
        cache.insert(verified, for: key)
        keys.remember(key, of: certificates, trusted: trusted.digest)
        return verified
    }

    /// The whole check of a chain whose root is trusted. No lock is held meanwhile: two tasks may do it twice.
    private func verifyAnew(_ der: [[UInt8]], _ date: Instant) throws(SignedDataRefusal) -> VerifiedChain {
        let chain = try CertificateChain(der: der)
        try chain.checkContents()
        let validity = ChainValidity(chain)
        try validity.check(date)
        try chain.checkSignatures()
        guard let leaf = try? VerifyingContext(key: chain.leaf.publicKey) else {
            throw SignedDataRefusal(.unsupportedKey, "the leaf certificate's key cannot be used to verify")
        }
        return VerifiedChain(
            leaf: leaf, validity: validity, anchor: TrustedRoots.anchor(of: der[2]))
    }

    private func decode(_ certificates: [String]) throws(SignedDataRefusal) -> [[UInt8]] {
        var der = [[UInt8]]()
        for (name, text) in zip(["leaf", "intermediate", "root"], certificates) {
            guard let bytes = Data(base64Encoded: text) else {
                throw SignedDataRefusal(
                    .malformedCertificate, "the \(name) certificate is not standard Base64")
            }
            der.append(Array(bytes))
        }
        return der
    }

    /// SHA-256 over the trust set's digest and the certificates, each with its length, so that none can lend bytes to
    /// its neighbour.
    private func cacheKey(_ der: [[UInt8]], _ trusted: TrustedRoots.Set) -> [UInt8] {
        var input = trusted.digest
        for certificate in der {
            for shift in [24, 16, 8, 0] {
                input.append(UInt8(truncatingIfNeeded: certificate.count >> shift))
            }
            input.append(contentsOf: certificate)
        }
        return OpenSSLDigest().sha256(input)
    }
}
