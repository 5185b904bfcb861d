public import OfferModel
public import OfferSigning
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Verifies App Store data: the certificate chain to a pinned root, and the signature (invariant 6).
///
/// ```
/// size, count, trusted root → DER, names, markers, dates → signature of the data → signatures of the chain
/// no public-key work                                       one check               two, unless cached
/// ```
///
/// An attacker can put a leaf of their own under Apple's public certificates, so the data is checked against the leaf's
/// key first: each attempt costs them a signature. Production trusts Apple Root CA - G3 alone; Sandbox that and the
/// configured roots; LocalTesting the configured roots alone. Xcode signs with one certificate and no chain, so its data
/// is accepted only under a certificate that is configured, byte for byte.
public final class AppStoreChainVerifier: SignedDataVerifier {
    private let roots: TrustedRoots
    let cache: ChainCache<VerifiedChain>
    private let intermediates: ChainCache<TrustAnchor>
    private let keys = ChainKeys()
    private let operations = Atomic(0)

    private let remembered = Atomic(0)
    private let verified = Atomic(0)

    /// How often a chain of certificates was remembered, and how often its signatures were checked.
    public var lookups: (remembered: Int, verified: Int) {
        (remembered.load(ordering: .relaxed), verified.load(ordering: .relaxed))
    }

    var publicKeyOperations: Int { operations.load(ordering: .relaxed) }

    /// The longest text of a certificate; Apple's have less than 2,000 bytes.
    private static let longestCertificate = 16 * 1_024

    /// - Parameters:
    ///   - additionalRoots: further trusted roots in DER, for Sandbox and LocalTesting, and the certificates of Xcode.
    ///   - cacheLifetime: how long after its verification a chain is remembered; Apple's libraries use 15 minutes.
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

    @discardableResult
    public func verify(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> TrustAnchor {
        let examined = try examined(jws, date, environment)
        try verifyData(of: jws, under: examined)
        try verifyChain(examined)
        return examined.verified.anchor
    }

    public func examine(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) {
        _ = try examined(jws, date, environment)
    }

    public func forOneRequest() -> any SignedDataVerifier { RequestVerifier(self) }

    /// Checks what needs no public-key work.
    func examined(
        _ jws: CompactJWS, _ date: Instant, _ environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> ExaminedChain {
        try examined(jws) { () throws(SignedDataRefusal) in try examined(jws.header.x5c ?? [], date, environment) }
    }

    /// Checks what of a JWS does not depend on its chain, and between that the chain.
    func examined(
        _ jws: CompactJWS, _ chain: () throws(SignedDataRefusal) -> ExaminedChain
    ) throws(SignedDataRefusal) -> ExaminedChain {
        try SignedDataRefusal.require(
            jws.header.alg == "ES256", .unsupportedAlgorithm,
            "the header's `alg` is `\(jws.header.alg ?? "absent")`, not `ES256`")
        let examined = try chain()
        try SignedDataRefusal.require(
            jws.signature.count == 64, .badSignature, "the signature has `\(jws.signature.count)` bytes, ES256 has 64")
        return examined
    }

    func verifyData(of jws: CompactJWS, under examined: ExaminedChain) throws(SignedDataRefusal) {
        operations.add(1, ordering: .relaxed)
        try SignedDataRefusal.require(
            examined.verified.leaf.isValid(rawSignature: jws.signature, of: jws.signingInput), .badSignature,
            "the signature does not belong to the leaf certificate's key and the data")
    }

    func examined(
        _ certificates: [String], _ date: Instant, _ environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> ExaminedChain {
        guard let trusted = roots[environment] else {
            throw SignedDataRefusal(
                .environmentNotSupported,
                "data of `\(environment.rawValue)` cannot be verified: keys.yaml names no certificate for it under "
                    + "`trustedRoots`")
        }
        let expected = environment == .xcode ? "1 certificate" : "3 certificates"
        try SignedDataRefusal.require(
            certificates.count == (environment == .xcode ? 1 : 3), .certificateCount,
            "`x5c` must hold \(expected), it holds \(certificates.count)")
        if environment == .xcode { return try examinedAlone(decode(certificates)[0], date, trusted) }
        if let key = keys.key(of: certificates, trusted: trusted.digest), let known = cache.verified(for: key) {
            try known.validity.check(date)
            return ExaminedChain(key: key, verified: known)
        }
        let der = try decode(certificates)
        try SignedDataRefusal.require(
            trusted.contains(der[2]), .untrustedRoot,
            "the root certificate is not trusted for `\(environment.rawValue)`")
        let chain = try CertificateChain(der: der)
        try chain.checkContents()
        let validity = ChainValidity(chain.named)
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

    /// Checks Xcode's certificate, of which nothing but its key and dates matters: it is the configured one.
    private func examinedAlone(
        _ der: [UInt8], _ date: Instant, _ trusted: TrustedRoots.Set
    ) throws(SignedDataRefusal) -> ExaminedChain {
        guard trusted.contains(der), let certificate = Certificate(der: der),
            let leaf = try? VerifyingContext(key: certificate.publicKey)
        else {
            throw SignedDataRefusal(
                .untrustedRoot,
                "the certificate is not one of Xcode's that keys.yaml names under `trustedRoots`")
        }
        let validity = ChainValidity([("Xcode", certificate)])
        try validity.check(date)
        return ExaminedChain(
            key: trusted.digest + OpenSSLDigest().sha256(der),
            verified: VerifiedChain(leaf: leaf, validity: validity, anchor: .configured))
    }

    /// Checks the signatures in the chain, unless they are cached. No lock is held meanwhile: two tasks may do it
    /// twice.
    func verifyChain(_ examined: ExaminedChain) throws(SignedDataRefusal) {
        guard let new = examined.unverified else {
            remembered.add(1, ordering: .relaxed)
            return
        }
        verified.add(1, ordering: .relaxed)
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

    /// Accepts only the one canonical Base64 text of some bytes.
    private func decode(_ certificates: [String]) throws(SignedDataRefusal) -> [[UInt8]] {
        var der = [[UInt8]]()
        for (name, text) in zip(["leaf", "intermediate", "root"], certificates) {
            try SignedDataRefusal.require(
                text.utf8.count <= Self.longestCertificate, .malformedCertificate,
                "the \(name) certificate is not within \(Self.longestCertificate) bytes of Base64")
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

/// A chain whose contents and dates are right.
struct ExaminedChain: Sendable {
    /// Its cache key: the same for every spelling of it.
    let key: [UInt8]
    /// The chain that counts once its signatures are checked.
    let verified: VerifiedChain
    /// The checks that are left; `nil` if the chain is cached.
    var unverified: UnverifiedChain?
}

struct UnverifiedChain: Sendable {
    let chain: CertificateChain
    let intermediateKey: [UInt8]
    let certificates: [String]
    let trusted: [UInt8]
}

/// The cached part of a verified chain: enough to judge each payload's own date and signature.
struct VerifiedChain: Sendable {
    let leaf: VerifyingContext
    let validity: ChainValidity
    let anchor: TrustAnchor
}

/// Bounds the public-key work that the data of one request costs: one check for each JWS, and at most two for each
/// chain, of which there may be ``mostChains``.
///
/// Chains count whether or not they are cached, so the answer is the same. A chain that fails is not checked
/// again in the same request.
final class RequestVerifier: SignedDataVerifier {
    /// How many chains one request may bring. Apple has two or three in use at a time.
    static let mostChains = 16

    private let verifier: AppStoreChainVerifier
    /// The chain of the latest data: nearly always that of the next too, and to take it apart again costs as much as a
    /// check of a signature.
    private let latest = Mutex<(certificates: [String], environment: AppStoreEnvironment, chain: ExaminedChain)?>(nil)
    /// The chains of the request; with its refusal where one failed.
    private let chains = Mutex<[[UInt8]: SignedDataRefusal?]>([:])

    init(_ verifier: AppStoreChainVerifier) {
        self.verifier = verifier
    }

    func verify(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> TrustAnchor {
        let examined = try examined(jws, date, environment)
        try admit(examined)
        try verifier.verifyData(of: jws, under: examined)
        if let failure = chains.withLock({ $0[examined.key] ?? nil }) { throw failure }
        do throws(SignedDataRefusal) {
            try verifier.verifyChain(examined)
            latest.withLock { if $0?.chain.key == examined.key { $0?.chain.unverified = nil } }
        } catch {
            chains.withLock { $0[examined.key] = .some(error) }
            throw error
        }
        return examined.verified.anchor
    }

    func examine(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) {
        try admit(examined(jws, date, environment))
    }

    private func examined(
        _ jws: CompactJWS, _ date: Instant, _ environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> ExaminedChain {
        let certificates = jws.header.x5c ?? []
        let known = latest.withLock { latest -> ExaminedChain? in
            guard let latest, latest.environment == environment, latest.certificates.count == certificates.count,
                zip(latest.certificates, certificates).allSatisfy({ $0.hasSameBytes(as: $1) })
            else { return nil }
            return latest.chain
        }
        if let known {
            return try verifier.examined(jws) { () throws(SignedDataRefusal) in
                try known.verified.validity.check(date)
                return known
            }
        }
        let examined = try verifier.examined(jws, date, environment)
        latest.withLock { $0 = (certificates, environment, examined) }
        return examined
    }

    private func admit(_ examined: ExaminedChain) throws(SignedDataRefusal) {
        let isAdmitted = chains.withLock { chains in
            if chains[examined.key] != nil { return true }
            guard chains.count < Self.mostChains else { return false }
            chains[examined.key] = .some(nil)
            return true
        }
        try SignedDataRefusal.require(
            isAdmitted, .tooManyChains,
            "the request brings data under more than \(Self.mostChains) certificate chains: fetch it from StoreKit again"
        )
    }
}
