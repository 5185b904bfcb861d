/// A UUID in lower case, the only spelling that Apple's signed strings allow.
///
/// Apple: "Generating a signature for promotional offers" wants `nonce` and `appAccountToken` in lower case, while
/// Foundation prints upper case.
public struct LowercaseUUID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// 36 lower-case characters with hyphens.
    public let description: String

    /// Reads a UUID in any case; `nil` unless it has the form 8-4-4-4-12 of hexadecimal digits.
    public init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        var isLowercase = true
        for (index, byte) in text.utf8.enumerated() {
            switch (index, byte) {
            case (8, 0x2D), (13, 0x2D), (18, 0x2D), (23, 0x2D): continue
            case (8, _), (13, _), (18, _), (23, _): return nil
            case (_, 0x30...0x39), (_, 0x61...0x66): continue
            case (_, 0x41...0x46): isLowercase = false
            default: return nil
            }
        }
        // Nearly every one comes in lower case, from the store or a request, and its text is kept as it is.
        description = isLowercase ? text : text.lowercased()
    }

    /// Makes a version-4 UUID (RFC 9562) from 16 random bytes; the version and variant bits are overwritten.
    ///
    /// - Parameter random: exactly 16 bytes from a cryptographic source.
    public init(version4From random: [UInt8]) {
        precondition(random.count == 16, "a UUID is made from 16 bytes")
        self.init(random, version: 4)
    }

    init(_ bytes: [UInt8], version: UInt8) {
        var bytes = bytes
        bytes[6] = (bytes[6] & 0x0F) | version << 4
        bytes[8] = (bytes[8] & 0x3F) | 0x80
        var text = [UInt8]()
        text.reserveCapacity(36)
        for (index, byte) in bytes.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 { text.append(0x2D) }
            text.append(Hexadecimal.lowercaseDigits[Int(byte >> 4)])
            text.append(Hexadecimal.lowercaseDigits[Int(byte & 0x0F)])
        }
        description = String(decoding: text, as: UTF8.self)
    }

    /// Makes a version-7 UUID (RFC 9562): milliseconds first, so that ids made in sequence are neighbours in an index.
    ///
    /// - Parameter random: exactly 10 bytes from a cryptographic source, of which 74 bits are kept.
    public init(version7At instant: Instant, random: [UInt8]) {
        precondition(random.count == 10, "a UUID of version 7 is made from 10 random bytes")
        let time = (0..<6).map { UInt8(truncatingIfNeeded: instant.milliseconds >> (8 * (5 - $0))) }
        self.init(time + random, version: 7)
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.description < right.description
    }
}

extension LowercaseUUID: Encodable {
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

/// A UUID that the app gave StoreKit for one of its accounts: an alias, never proof.
public typealias AppAccountToken = LowercaseUUID

public enum Hexadecimal {
    static let lowercaseDigits: [UInt8] = Array("0123456789abcdef".utf8)

    /// Two lower-case digits a byte, without separators.
    public static func lowercase(_ bytes: some Sequence<UInt8>) -> String {
        lowercase(Array(bytes))
    }

    /// The same for digests, of which every recorded decision has a dozen.
    public static func lowercase(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            var place = 0
            for byte in bytes {
                text[place] = lowercaseDigits[Int(byte >> 4)]
                text[place + 1] = lowercaseDigits[Int(byte & 0x0F)]
                place += 2
            }
            return place
        }
    }

    /// Reads an even number of digits in either case; `nil` for anything else.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var result = [UInt8]()
        var high: UInt8?
        for byte in text.utf8 {
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46: digit = byte - 0x41 + 10
            case 0x61...0x66: digit = byte - 0x61 + 10
            default: return nil
            }
            if let first = high {
                result.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return high == nil ? result : nil
    }
}

/// Cryptographic digests, for targets without OpenSSL.
public protocol Digest: Sendable {
    func sha256(_ bytes: [UInt8]) -> [UInt8]

    /// Whether two secrets are equal; how long this takes does not show where they differ.
    func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool

    /// HMAC-SHA-256 (RFC 2104) under a key of any length, which is prepared once for many messages.
    func keyed(by key: [UInt8], name: String) -> any KeyedDigest
}

/// Digests under a secret key, of values that could be guessed; the key itself stays with OpenSSL.
public protocol KeyedDigest: Sendable {
    /// Identifies the key without showing it.
    var name: String { get }

    func digest(of bytes: [UInt8]) -> [UInt8]
}

/// A source of unpredictable bytes, for targets without OpenSSL.
public protocol RandomSource: Sendable {
    /// Bytes of the system's cryptographic generator.
    ///
    /// - Throws: when the generator has no entropy; then nothing may be signed.
    func bytes(_ count: Int) throws -> [UInt8]
}

extension RandomSource {
    /// A fresh version-4 UUID in lower case.
    ///
    /// - Throws: when the generator has no entropy.
    public func uuid() throws -> LowercaseUUID {
        LowercaseUUID(version4From: try bytes(16))
    }

    /// A fresh version-7 UUID in lower case, for what is stored in the order of time; 74 bits of it are random.
    ///
    /// - Throws: when the generator has no entropy.
    public func orderedUUID(at now: Instant) throws -> LowercaseUUID {
        LowercaseUUID(version7At: now, random: try bytes(10))
    }
}
