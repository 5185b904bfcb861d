public import OfferModel
import OfferSigning
import OpenSSLCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A local root with the chain that signs for it, made like Apple's: root and intermediate P-384, leaf P-256,
/// Apple's marker extensions on the lower two.
///
/// The keys of root and intermediate are forgotten as soon as the chain is made, so nothing else can ever be issued
/// under this root. A server trusts it only where its configuration says so, and never for Production.
public struct LocalRoot: Sendable {
    /// The root certificate's DER: what a server is told to trust.
    public let rootDER: [UInt8]
    public let intermediateDER: [UInt8]
    let leaf: CertifiedKey

    public var leafDER: [UInt8] { leaf.certificateDER }

    /// The beginning of the chain's validity, before any subscription existed, so that old scenarios verify.
    public static let validFrom = Instant(milliseconds: 946_684_800_000)

    private static let validYears = 20

    /// Makes a new root and its chain, valid from the year 2000 until 20 years after `now`.
    public static func make(now: Instant) throws -> LocalRoot {
        let end = now.adding(months: validYears * 12)
        let root = try CertifiedKey.selfSigned(
            CertificateProfile(
                commonName: "offerd local test root, not Apple", notBefore: validFrom, notAfter: end,
                isAuthority: true, curve: .p384))
        let intermediate = try root.issue(
            CertificateProfile(
                commonName: "offerd local test intermediate, not Apple", notBefore: validFrom, notAfter: end,
                isAuthority: true, pathLength: 0, markers: [AppleMarker.intermediate], curve: .p384))
        let leaf = try intermediate.issue(
            CertificateProfile(
                commonName: "offerd local test receipt signing, not Apple", notBefore: validFrom, notAfter: end,
                markers: [AppleMarker.leaf], curve: .p256))
        return LocalRoot(rootDER: root.certificateDER, intermediateDER: intermediate.certificateDER, leaf: leaf)
    }

    /// Signs payload bytes as they are, as the App Store does: ES256 with the three certificates in `x5c`.
    public func sign(payload: [UInt8]) throws -> String {
        let certificates = [leafDER, intermediateDER, rootDER]
            .map { "\"\(Data($0).base64EncodedString())\"" }
            .joined(separator: ",")
        let header = "{\"alg\":\"ES256\",\"x5c\":[\(certificates)]}"
        let signingInput = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(payload))"
        let signature = try leaf.rawSignature(of: Array(signingInput.utf8))
        return "\(signingInput).\(Base64URL.encode(signature))"
    }
}

extension LocalRoot {
    /// The root certificate's file name; a server's `trustedRoots` names it.
    public static let rootFileName = "root.der"
    private static let intermediateFileName = "intermediate.der"
    private static let leafFileName = "leaf.der"
    private static let leafKeyFileName = "leaf.key"

    /// Writes `root.der`, `intermediate.der`, `leaf.der` and `leaf.key` (mode 0600) into a directory, which is made if
    /// it does not exist.
    ///
    /// - Throws: ``LocalRootError`` if one of them exists, which is never overwritten, or cannot be written;
    ///   `SigningKeyError` for the key file.
    public func write(to directory: String) throws {
        let names = [Self.rootFileName, Self.intermediateFileName, Self.leafFileName, Self.leafKeyFileName]
        let folder = URL(filePath: directory)
        if let taken = names.first(where: { FileManager.default.fileExists(atPath: folder.appending(path: $0).path) }) {
            throw LocalRootError(
                message: "`\(directory)` has a `\(taken)` already",
                hint: "use that root, or name another directory: what the old root signed would no longer verify")
        }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw LocalRootError(
                message: "the directory `\(directory)` cannot be made", hint: "check the path and its permissions")
        }
        try leaf.write(privateKeyToNewFile: folder.appending(path: Self.leafKeyFileName).path)
        try Self.write(leafDER, to: Self.leafFileName, in: directory)
        try Self.write(intermediateDER, to: Self.intermediateFileName, in: directory)
        try Self.write(rootDER, to: Self.rootFileName, in: directory)
    }

    /// Reads a root that ``write(to:)`` wrote.
    ///
    /// - Throws: ``LocalRootError`` for a file that is missing or does not fit the others; `SigningKeyError` for a key
    ///   file that is missing, open to others or damaged.
    public init(directory: String) throws {
        let rootDER = try Self.read(Self.rootFileName, in: directory)
        let intermediateDER = try Self.read(Self.intermediateFileName, in: directory)
        let leafDER = try Self.read(Self.leafFileName, in: directory)
        let keyFile = URL(filePath: directory).appending(path: Self.leafKeyFileName).path
        do {
            let leaf = try CertifiedKey(certificateDER: leafDER, privateKeyFile: keyFile)
            self.init(rootDER: rootDER, intermediateDER: intermediateDER, leaf: leaf)
            try checkChain(directory)
        } catch let error as CertificateError {
            throw LocalRootError(
                message: "`\(Self.leafFileName)` in `\(directory)` cannot be used: \(error.detail)", hint: Self.remake)
        }
    }

    /// Signs and verifies a probe, so that files of different roots are told apart here and not by a server later.
    private func checkChain(_ directory: String) throws {
        let verifier = try AppStoreChainVerifier(additionalRoots: [.localTesting: [rootDER]])
        let probe = try CompactJWS(parsing: try sign(payload: Array("{}".utf8)))
        do {
            try verifier.verify(probe, effectiveDate: Self.validFrom, environment: .localTesting)
        } catch {
            throw LocalRootError(
                message: "the certificates in `\(directory)` do not belong together: \(error.detail)", hint: Self.remake
            )
        }
    }

    private static let remake = "make a new root in another directory with `offerd dev root --out DIR`"

    private static func write(_ bytes: [UInt8], to name: String, in directory: String) throws {
        do {
            try Data(bytes).write(to: URL(filePath: directory).appending(path: name), options: .withoutOverwriting)
        } catch {
            throw LocalRootError(
                message: "`\(name)` cannot be written to `\(directory)`",
                hint: "check the directory's permissions and room, empty it and try again")
        }
    }

    private static func read(_ name: String, in directory: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: directory).appending(path: name)))
        } catch {
            throw LocalRootError(
                message: "`\(directory)` has no readable `\(name)`",
                hint: "make a root with `offerd dev root --out \(directory)`")
        }
    }
}

public struct LocalRootError: Error, Sendable, Hashable, CustomStringConvertible {
    public let message: String
    public let hint: String

    public var description: String { message }
}
