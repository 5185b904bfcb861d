import NIOSSL
package import OfferDocuments
public import OfferModel
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

public struct TLSFailure: Error, Sendable, Hashable {
    public let detail: String
    public let hint: String
}

/// The certificate that new connections get, in TLS 1.2 or 1.3. Open connections keep the one they began with.
public final class TLSCertificate: Sendable {
    private struct Loaded {
        let context: NIOSSLContext
        let expiresAt: Instant
        let authoritiesExpireAt: Instant?
    }

    private let loaded: Mutex<Loaded>

    package init(_ files: TLSPaths) throws(TLSFailure) {
        loaded = Mutex(try Self.load(files))
    }

    /// Takes another certificate for new connections.
    public func replace(with other: TLSCertificate) {
        let new = other.loaded.withLock { $0 }
        loaded.withLock { $0 = new }
    }

    /// When the first of the chain's certificates expires.
    public var expiresAt: Instant { loaded.withLock { $0.expiresAt } }

    /// When the first of the authorities of client certificates expires; `nil` without any.
    public var authoritiesExpireAt: Instant? { loaded.withLock { $0.authoritiesExpireAt } }

    func handler() throws -> NIOSSLServerHandler {
        let context = loaded.withLock { $0.context }
        return NIOSSLServerHandler(context: context)
    }

    private static func load(_ files: TLSPaths) throws(TLSFailure) -> Loaded {
        let chain = try certificates(files.certificate)
        try requireFile(files.key, "private key")
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(file: files.key, format: .pem)
        } catch {
            throw TLSFailure(
                detail: "the private key `\(files.key)` cannot be read",
                hint: "it must be a PEM file without a passphrase that this user may read")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        var authoritiesExpireAt: Instant?
        if let path = files.clientCertificates {
            let authorities = try certificates(path)
            authoritiesExpireAt = firstEnd(of: authorities)
            configuration.trustRoots = .certificates(authorities)
            configuration.certificateVerification = .noHostnameVerification
        }
        do {
            return Loaded(
                context: try NIOSSLContext(configuration: configuration), expiresAt: firstEnd(of: chain),
                authoritiesExpireAt: authoritiesExpireAt)
        } catch {
            throw TLSFailure(
                detail: "the certificate `\(files.certificate)` and the key `\(files.key)` do not belong together",
                hint: "name the two files that were issued together; the server's own certificate comes first")
        }
    }

    private static func firstEnd(of certificates: [NIOSSLCertificate]) -> Instant {
        Instant(
            milliseconds: certificates.map { Int64($0.notValidAfter).saturatingMultiplied(by: 1_000) }.min() ?? .max)
    }

    /// Tells a file that is missing from one that this user may not read, or in a folder that they may not search.
    private static func requireFile(_ path: String, _ what: String) throws(TLSFailure) {
        do {
            _ = try FileManager.default.attributesOfItem(atPath: path)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            throw TLSFailure(
                detail: "the \(what) `\(path)` does not exist", hint: "correct the path in `tls`, or create the file")
        } catch {}
    }

    private static func certificates(_ path: String) throws(TLSFailure) -> [NIOSSLCertificate] {
        try requireFile(path, "certificate")
        let certificates = (try? NIOSSLCertificate.fromPEMFile(path)) ?? []
        guard !certificates.isEmpty else {
            throw TLSFailure(
                detail: "no certificate can be read from `\(path)`",
                hint: "it must be a PEM file with `BEGIN CERTIFICATE` that this user may read")
        }
        return certificates
    }
}
