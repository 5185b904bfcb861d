import Foundation
import OfferModel
import OfferTestSupport
import Testing

@testable import OpenSSLCrypto

@Suite("Making a signing key")
struct KeyGenerationTests {
    @Test("a new key is PKCS#8 that only its owner can read, and loads as the key that was reported")
    func generate() throws {
        let workshop = try KeyWorkshop()
        let path = workshop.directory.path("new.p8")
        let made = try OpenSSLSigningKey.generate(toNewFile: path, keyId: "2X9R4HXF34")
        let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
        #expect(try workshop.text("new.p8").hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(try OpenSSLSigningKey(file: path, keyId: "K").publicKey.pem == made.publicKey.pem)
        #expect(try workshop.openssl("pkey", "-in", "new.p8", "-pubout") == made.publicKey.pem)
        #expect(try workshop.openssl("pkey", "-in", "new.p8", "-noout", "-text").contains("NIST CURVE: P-256"))
    }

    @Test("an existing file is never overwritten, a missing directory is named")
    func refusesToOverwrite() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("precious", to: "key.p8")
        let error = #expect(throws: SigningKeyError.self) {
            try OpenSSLSigningKey.generate(toNewFile: path, keyId: "K")
        }
        #expect(error?.code == .alreadyExists)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("precious".utf8))
        let missing = #expect(throws: SigningKeyError.self) {
            try OpenSSLSigningKey.generate(toNewFile: directory.path("none/key.p8"), keyId: "K")
        }
        #expect(missing?.code == .unwritable)
    }

    @Test(
        "the directory that is made durable with a key is the one that the key is in",
        arguments: [("key.p8", "."), ("/key.p8", "/"), ("/etc/offerd/key.p8", "/etc/offerd"), ("keys/a.p8", "keys")])
    func directory(path: String, directory: String) {
        #expect(PrivateKeyFile.directory(of: path) == directory)
    }

    @Test("the fingerprint is the SHA-256 of the public key as the openssl command computes it")
    func fingerprint() throws {
        let workshop = try KeyWorkshop()
        let key = try OpenSSLSigningKey(file: workshop.goodKey(), keyId: "K")
        try workshop.openssl("pkey", "-in", "good.p8", "-pubout", "-outform", "DER", "-out", "public.der")
        let printed = try workshop.openssl("dgst", "-sha256", "-r", "public.der")
        #expect(printed.hasPrefix(key.publicKey.fingerprint + " "))
        #expect(key.publicKey.fingerprint.utf8.count == 64)
        #expect(try OpenSSLPublicKey(pem: key.publicKey.pem).fingerprint == key.publicKey.fingerprint)
    }
}
