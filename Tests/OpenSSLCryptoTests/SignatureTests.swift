import Foundation
import OfferModel
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("Signatures of a P-256 key")
struct SignatureTests {
    private let workshop: KeyWorkshop
    private let key: OpenSSLSigningKey

    init() throws {
        workshop = try KeyWorkshop()
        key = try OpenSSLSigningKey(file: workshop.goodKey(), keyId: "2X9R4HXF34")
    }

    @Test("a raw signature always has 64 bytes and verifies, also when R or S begins with a zero")
    func raw() throws {
        var leadingZeros = 0
        for index in 0..<1_500 {
            let message = Array("message \(index)".utf8)
            let signature = try key.rawSignature(of: message)
            #expect(signature.count == 64)
            #expect(key.publicKey.isValid(rawSignature: signature, of: message))
            if signature[0] == 0 || signature[32] == 0 { leadingZeros += 1 }
        }
        // Each has one with probability 1/128: none in 1,500 happens once in 100,000 runs.
        #expect(leadingZeros > 0)
    }

    @Test("a DER signature is one sequence of its whole length with shortest positive integers, and verifies")
    func der() throws {
        for index in 0..<500 {
            let message = Array("message \(index)".utf8)
            let signature = try key.derSignature(of: message)
            #expect(signature.count <= 72)
            #expect(signature[0] == 0x30 && Int(signature[1]) == signature.count - 2)
            let (r, rest) = try integer(signature.dropFirst(2))
            let (s, end) = try integer(rest)
            #expect(end.isEmpty)
            for number in [r, s] {
                #expect(number[0] & 0x80 == 0)
                #expect(number.count == 1 || number[0] != 0 || number[1] & 0x80 != 0)
            }
            #expect(key.publicKey.isValid(derSignature: signature, of: message))
        }
    }

    @Test("the openssl command accepts a signature with the exported public key, and refuses another message")
    func openssl() throws {
        let message = Array("what was signed".utf8)
        try workshop.directory.write(try key.derSignature(of: message), to: "signature")
        try workshop.directory.write(key.publicKey.pem, to: "public.pem")
        let arguments = ["dgst", "-sha256", "-verify", "public.pem", "-signature", "signature"]
        let directory = workshop.directory.url
        #expect(try Command.run("openssl", arguments, input: message, directory: directory).text == "Verified OK\n")
        #expect(try Command.run("openssl", arguments, input: message + [0], directory: directory).status == 1)
    }

    @Test("another message, key, length or form of signature is not valid")
    func invalid() throws {
        let message = Array("message".utf8)
        let raw = try key.rawSignature(of: message)
        let der = try key.derSignature(of: message)
        let publicKey = key.publicKey
        #expect(!publicKey.isValid(rawSignature: raw, of: []))
        #expect(!publicKey.isValid(derSignature: der, of: []))
        #expect(!publicKey.isValid(rawSignature: der, of: message))
        #expect(!publicKey.isValid(derSignature: raw, of: message))
        #expect(!publicKey.isValid(rawSignature: Array(raw.dropLast()), of: message))
        #expect(!publicKey.isValid(rawSignature: raw + [0], of: message))
        #expect(!publicKey.isValid(derSignature: Array(der.dropLast()), of: message))
        #expect(!publicKey.isValid(derSignature: der + [0], of: message))
        #expect(!publicKey.isValid(derSignature: [], of: message))
        #expect(!publicKey.isValid(rawSignature: [UInt8](repeating: 0, count: 64), of: message))
        let other = try OpenSSLSigningKey(file: workshop.goodKey("other.p8"), keyId: "K")
        #expect(!other.publicKey.isValid(rawSignature: raw, of: message))
        #expect(!other.publicKey.isValid(derSignature: der, of: message))
        for position in raw.indices {
            var changed = raw
            changed[position] ^= 1
            #expect(!publicKey.isValid(rawSignature: changed, of: message))
        }
    }

    @Test("an empty message and a large one are signed")
    func lengths() throws {
        for message in [[], [UInt8](repeating: 0x5A, count: 1_000_000)] {
            #expect(key.publicKey.isValid(rawSignature: try key.rawSignature(of: message), of: message))
        }
    }

    @Test("many tasks sign with one key at once")
    func concurrent() async throws {
        let key = key
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for index in 0..<100 {
                        let message = Array("\(task) \(index)".utf8)
                        guard key.publicKey.isValid(rawSignature: try key.rawSignature(of: message), of: message)
                        else { return false }
                    }
                    return true
                }
            }
            for try await valid in group { #expect(valid) }
        }
    }

    @Test("a public key that is none, or not on P-256, is refused")
    func publicKeys() throws {
        try workshop.openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384", "-out", "p384")
        let p384 = try workshop.openssl("pkey", "-in", "p384", "-pubout")
        #expect(#expect(throws: SigningKeyError.self) { try OpenSSLPublicKey(pem: p384) }?.code == .wrongCurve)
        #expect(#expect(throws: SigningKeyError.self) { try OpenSSLPublicKey(pem: "") }?.code == .malformed)
    }

    private func integer(_ bytes: ArraySlice<UInt8>) throws -> (value: [UInt8], rest: ArraySlice<UInt8>) {
        let header = Array(bytes.prefix(2))
        try #require(header.count == 2 && header[0] == 0x02)
        return (Array(bytes.dropFirst(2).prefix(Int(header[1]))), bytes.dropFirst(2 + Int(header[1])))
    }
}
