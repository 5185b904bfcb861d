import OfferModel

/// Other spellings of a certificate, as anybody can make them of a public one.
struct RespelledCertificate {
    /// `30 len ...`, `30 len ...`, `03 len 00 ...`
    private let signedPart: [UInt8]
    private let algorithm: [UInt8]
    private let signature: [UInt8]

    init(_ der: [UInt8]) throws {
        let parts = try Self.elements(try Self.elements(der)[0].contents)
        (signedPart, algorithm) = (parts[0].all, parts[1].all)
        signature = Array(parts[2].contents.dropFirst())
    }

    /// The same certificate with these parts in place of its own.
    private func with(algorithm: [UInt8]? = nil, bits: [UInt8]? = nil, outerZeros: Int = 0) -> [UInt8] {
        let bits = bits ?? Self.element(0x03, [0] + signature)
        return Self.element(0x30, signedPart + (algorithm ?? self.algorithm) + bits, zeros: outerZeros)
    }

    /// As it was.
    var same: [UInt8] { with() }

    /// Lengths with zeros in front, which BER allows and DER does not: around all, of the algorithm, of the signature.
    func longerLengths(zeros: Int = 1) -> [[UInt8]] {
        [
            with(outerZeros: zeros),
            with(algorithm: Self.element(0x30, Array(algorithm.dropFirst(2)), zeros: zeros)),
            with(bits: Self.element(0x03, [0] + signature, zeros: zeros)),
        ]
    }

    /// (r, n − s), which is as good as (r, s).
    func twin() throws -> [UInt8] {
        let (r, s) = try numbers()
        return with(bits: Self.element(0x03, [0] + Self.signature(r, Self.difference(Self.p384Order, s))))
    }

    /// Signatures of the same numbers that are not DER, and one with bits to spare.
    func otherSignatures() throws -> [[UInt8]] {
        let (r, s) = try numbers()
        let padded = Self.element(0x30, Self.element(0x02, [0, 0] + r) + Self.element(0x02, [0] + s))
        return [
            with(bits: Self.element(0x03, [0] + padded)), with(bits: Self.element(0x03, [0] + signature + [0])),
            with(bits: Self.element(0x03, [0] + Self.element(0x30, Self.integers(r, s) + [0x05, 0x00]))),
            with(bits: Self.element(0x03, [1] + signature)),
        ]
    }

    /// Another algorithm outside than inside: ECDSA with SHA-256 for ECDSA with SHA-384, and parameters where none
    /// belong.
    func otherAlgorithms() throws -> [[UInt8]] {
        let name = Array(algorithm.dropFirst(2))
        return [
            with(algorithm: Self.element(0x30, name.dropLast() + [2])),
            with(algorithm: Self.element(0x30, name + [0x05, 0x00])),
        ]
    }

    private func numbers() throws -> (r: [UInt8], s: [UInt8]) {
        let numbers = try Self.elements(try Self.elements(signature)[0].contents)
        return (numbers[0].contents, numbers[1].contents)
    }

    private static func signature(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] { element(0x30, integers(r, s)) }

    private static func integers(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
        [r, s].flatMap { number -> [UInt8] in
            let digits = Array(number.drop { $0 == 0 })
            return element(0x02, (digits.first ?? 0) >= 0x80 ? [0] + digits : digits)
        }
    }

    private static func element(_ tag: UInt8, _ contents: [UInt8], zeros: Int = 0) -> [UInt8] {
        var length: [UInt8] = []
        var rest = contents.count
        repeat {
            length.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        } while rest > 0
        length = Array(repeating: 0, count: zeros) + length
        if contents.count >= 0x80 || zeros > 0 { length.insert(0x80 | UInt8(length.count), at: 0) }
        return [tag] + length + contents
    }

    private struct Malformed: Error {}

    private static func elements(_ bytes: [UInt8]) throws -> [(all: [UInt8], contents: [UInt8])] {
        var (found, place) = ([(all: [UInt8], contents: [UInt8])](), 0)
        while place + 1 < bytes.count {
            var (start, length) = (place + 2, Int(bytes[place + 1]))
            if length >= 0x80 {
                let count = length & 0x7F
                guard count <= 3, start + count <= bytes.count else { throw Malformed() }
                length = bytes[start..<(start + count)].reduce(0) { $0 << 8 | Int($1) }
                start += count
            }
            guard start + length <= bytes.count else { throw Malformed() }
            found.append((Array(bytes[place..<(start + length)]), Array(bytes[start..<(start + length)])))
            place = start + length
        }
        return found
    }

    /// The order of P-384 (SEC 2, §2.5.1).
    private static let p384Order: [UInt8] =
        Array(repeating: 0xFF, count: 24) + [
            0xC7, 0x63, 0x4D, 0x81, 0xF4, 0x37, 0x2D, 0xDF, 0x58, 0x1A, 0x0D, 0xB2, 0x48, 0xB0, 0xA7, 0x7A, 0xEC, 0xEC,
            0x19, 0x6A, 0xCC, 0xC5, 0x29, 0x73,
        ]

    private static func difference(_ greater: [UInt8], _ less: [UInt8]) -> [UInt8] {
        let less = Array(repeating: 0, count: 64) + less
        var (result, borrow) = ([UInt8](), 0)
        for (left, right) in zip(greater.reversed(), less.reversed()) {
            let digit = Int(left) - Int(right) - borrow
            borrow = digit < 0 ? 1 : 0
            result.insert(UInt8(digit + borrow * 256), at: 0)
        }
        return result
    }
}
