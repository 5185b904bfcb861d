import OfferModel
import OpenSSLCrypto
import Testing

@Suite("Digest, HMAC, random bytes and comparison")
struct PrimitivesTests {
    @Test("SHA-256 gives the digests of FIPS 180-4")
    func sha256() {
        let digest = OpenSSLDigest()
        #expect(
            Hexadecimal.lowercase(digest.sha256([]))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            Hexadecimal.lowercase(digest.sha256(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test("HMAC-SHA-256 gives the codes of RFC 4231, and takes an empty key and an empty message")
    func hmac() {
        func code(_ key: [UInt8], _ message: String) -> String {
            Hexadecimal.lowercase(OpenSSLDigest().keyed(by: key, name: "").digest(of: Array(message.utf8)))
        }
        #expect(
            code([UInt8](repeating: 0x0B, count: 20), "Hi There")
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        #expect(
            code(Array("Jefe".utf8), "what do ya want for nothing?")
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            code([UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First")
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
        #expect(code([], "") == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test("two secrets are equal only if they have the same length and bytes")
    func comparison() {
        let digest = OpenSSLDigest()
        let secret = [UInt8](0..<32)
        #expect(digest.areEqual(secret, secret) && digest.areEqual([], []))
        for index in secret.indices {
            var other = secret
            other[index] ^= 0x80
            #expect(!digest.areEqual(secret, other), "byte \(index)")
        }
        for length in [0, 31] {
            #expect(!digest.areEqual(secret, Array(secret.prefix(length))))
            #expect(!digest.areEqual(Array(secret.prefix(length)), secret))
        }
    }

    @Test("a key made ready once gives every message the code it had alone, from several threads at once")
    func keyed() async {
        let digest = OpenSSLDigest()
        for length in [0, 1, 63, 64, 65, 131] {
            let key = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ length) }
            let keyed = digest.keyed(by: key, name: "k")
            #expect(keyed.name == "k")
            let messages = [0, 1, 55, 56, 64, 5_000].map {
                [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: $0)
            }
            let alone = messages.map { digest.keyed(by: key, name: "").digest(of: $0) }
            let isSame = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<4 {
                    group.addTask { (0..<200).allSatisfy { _ in messages.map { keyed.digest(of: $0) } == alone } }
                }
                return await group.reduce(true) { $0 && $1 }
            }
            #expect(isSame, "a key of \(length) bytes")
        }
    }

    @Test(
        "nonces of two generators are version-7 UUIDs of their instant, in lower case, and never repeat (invariant 8)")
    func nonces() throws {
        let now = Instant(milliseconds: 1_793_491_200_123)
        let generators = [OpenSSLRandom(), OpenSSLRandom()]
        var seen = Set<LowercaseUUID>()
        for number in 0..<10_000 {
            let nonce = try generators[number % 2].orderedUUID(at: now)
            let text = nonce.description
            let characters = Array(text)
            #expect(characters[14] == "7")
            #expect("89ab".contains(characters[19]))
            #expect(text == text.lowercased())
            let timestamp = text.prefix(13).filter { $0 != "-" }
            #expect(Int64(timestamp, radix: 16) == now.milliseconds)
            seen.insert(nonce)
        }
        #expect(seen.count == 10_000)
        // Of the 74 random bits none is fixed.
        let digits = seen.map { Array($0.description.filter { $0 != "-" }) }
        for place in 13..<32 where place != 16 { #expect(Set(digits.map { $0[place] }).count == 16, "\(place)") }
        #expect(Set(digits.map { $0[16] }).count == 4)
        let random = OpenSSLRandom()
        #expect(try random.bytes(0).isEmpty)
        #expect(try random.bytes(33).count == 33)
    }

    @Test("bytes drawn by many at once never repeat, however few are asked for (invariant 8)")
    func sharedReserve() async throws {
        let drawn = try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
            for length in [9, 10, 15, 16, 17, 32, 10, 16] {
                group.addTask { try (0..<1_000).map { _ in try OpenSSLRandom().bytes(length) } }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(drawn.count == 8_000)
        #expect(Set(drawn.map(\.count)) == [9, 10, 15, 16, 17, 32])
        // Whatever eight bytes are looked at stand nowhere else; of fewer nobody could tell.
        let pieces = drawn.flatMap { bytes in (0...(bytes.count - 8)).map { Array(bytes[$0..<($0 + 8)]) } }
        #expect(Set(pieces).count == pieces.count)
    }
}
