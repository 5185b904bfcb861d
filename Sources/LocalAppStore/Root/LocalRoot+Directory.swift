import FoundationEssentials
import OfferModel
import OfferSigning
import OpenSSLCrypto

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
                "`\(directory)` has a `\(taken)` already",
                hint: "use that root, or name another directory: what the old root signed would no longer verify")
        }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw LocalRootError(
                "the directory `\(directory)` cannot be made", hint: "check the path and its permissions")
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
                "`\(Self.leafFileName)` in `\(directory)` cannot be used: \(error.detail)", hint: Self.remake)
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
                "the certificates in `\(directory)` do not belong together: \(error.detail)", hint: Self.remake)
        }
    }

    private static let remake = "make a new root in another directory with `offerd dev root --out DIR`"

    private static func write(_ bytes: [UInt8], to name: String, in directory: String) throws {
        do {
            try Data(bytes).write(to: URL(filePath: directory).appending(path: name), options: .withoutOverwriting)
        } catch {
            throw LocalRootError(
                "`\(name)` cannot be written to `\(directory)`",
                hint: "check the directory's permissions and room, empty it and try again")
        }
    }

    private static func read(_ name: String, in directory: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: directory).appending(path: name)))
        } catch {
            throw LocalRootError(
                "`\(directory)` has no readable `\(name)`",
                hint: "make a root with `offerd dev root --out \(directory)`")
        }
    }
}
