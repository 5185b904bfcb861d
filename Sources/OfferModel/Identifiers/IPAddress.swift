/// An IP address. IPv4 is held as its IPv4-mapped IPv6 address, as a socket for both shows it, so both forms are equal.
public struct IPAddress: Sendable, Hashable {
    /// The first and the last eight bytes.
    private let high: UInt64
    private let low: UInt64

    private init(high: UInt64, low: UInt64) {
        (self.high, self.low) = (high, low)
    }

    /// - Parameter bytes: in network order, 4 or 16; `nil` for another number.
    public init?(bytes: [UInt8]) {
        switch bytes.count {
        case 4: self.init(ipv4: bytes)
        case 16: self.init(high: Self.number(bytes.prefix(8)), low: Self.number(bytes.suffix(8)))
        default: return nil
        }
    }

    /// Reads `192.0.2.1` or an IPv6 address in any form of RFC 4291 §2.2, without a zone; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        let text = Substring(text)
        guard text.utf8.count <= Self.longestText else { return nil }
        if let ipv4 = Self.ipv4(text) {
            self.init(ipv4: ipv4)
            return
        }
        // `::` replaces one or more groups of zeros, once.
        let halves = text.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = halves.first, let head = Self.groups(first, isEnd: halves.count == 1) else { return nil }
        guard halves.count == 2 else {
            guard head.count == 8 else { return nil }
            self.init(groups: head)
            return
        }
        guard let tail = Self.groups(halves[1], isEnd: true), head.count + tail.count < 8 else { return nil }
        self.init(groups: head + [UInt16](repeating: 0, count: max(0, 8 - head.count - tail.count)) + tail)
    }

    public var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// Whether it is this machine's: 127.0.0.0/8 or `::1`.
    public var isLoopback: Bool { isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }

    private init(ipv4 bytes: some Collection<UInt8>) {
        self.init(high: 0, low: 0xFFFF << 32 | Self.number(bytes))
    }

    private init(groups: [UInt16]) {
        func number(_ half: ArraySlice<UInt16>) -> UInt64 {
            half.reduce(0) { $0 << 16 | UInt64(truncatingIfNeeded: $1) }
        }
        self.init(high: number(groups.prefix(4)), low: number(groups.suffix(4)))
    }

    private static let longestText = 45

    private static func number(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64(truncatingIfNeeded: $1) }
    }

    /// The four bytes of a dotted address, each without leading zeros: some programs read those as octal.
    private static func ipv4(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let bytes = parts.compactMap { part -> UInt8? in
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                part == "0" || part.utf8.first != UInt8(ascii: "0")
            else { return nil }
            return Int(part).flatMap { UInt8(exactly: $0) }
        }
        return bytes.count == 4 ? bytes : nil
    }

    /// Groups between single colons; the last two of an address may be a dotted one.
    private static func groups(_ text: Substring, isEnd: Bool) -> [UInt16]? {
        if text.isEmpty { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if isEnd, index == parts.count - 1, let bytes = ipv4(part) {
                let pairs = [bytes.prefix(2), bytes.suffix(2)]
                groups.append(contentsOf: pairs.map { UInt16(truncatingIfNeeded: number($0)) })
            } else {
                // A sign is not a digit, though the standard library's reader takes one.
                guard (1...4).contains(part.utf8.count), part.first?.isHexDigit == true,
                    let group = Int(part, radix: 16)
                else { return nil }
                groups.append(UInt16(truncatingIfNeeded: group))
            }
        }
        return groups
    }
}

extension IPAddress: CustomStringConvertible {
    /// The canonical text: RFC 5952 for IPv6, dotted for IPv4.
    public var description: String {
        func bytes(_ number: UInt64, shifts: [UInt64], mask: UInt64) -> [UInt64] { shifts.map { number >> $0 & mask } }
        if isIPv4 { return bytes(low, shifts: [24, 16, 8, 0], mask: 0xFF).map { String($0) }.joined(separator: ".") }
        let groups = [high, low].flatMap { bytes($0, shifts: [48, 32, 16, 0], mask: 0xFFFF) }
        // The longest run of two or more zeros, the first of equal ones.
        var zeros = 0..<0
        for start in groups.indices {
            let end = groups[start...].firstIndex { $0 != 0 } ?? groups.endIndex
            if end - start > max(1, zeros.count) { zeros = start..<end }
        }
        func text(_ groups: ArraySlice<UInt64>) -> String {
            groups.map { String($0, radix: 16) }.joined(separator: ":")
        }
        if zeros.isEmpty { return text(groups[...]) }
        return text(groups[..<zeros.lowerBound]) + "::" + text(groups[zeros.upperBound...])
    }
}

/// The addresses that begin with the same bits, written as in `10.0.0.0/8`.
public struct IPNetwork: Sendable, Hashable {
    private let first: IPAddress
    /// Of the 128 bits, those of an IPv4-mapped address included.
    private let bits: Int

    /// - Throws: ``Fault``.
    public init(_ text: some StringProtocol) throws(Fault) {
        let parts = Substring(text).split(separator: "/", omittingEmptySubsequences: false)
        guard let start = parts.first, let address = IPAddress(start) else { throw Fault.notANetwork }
        guard parts.count == 2 else { throw parts.count == 1 ? Fault.noLength(address) : Fault.notANetwork }
        let digits = parts[1]
        guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            digits == "0" || digits.utf8.first != UInt8(ascii: "0"), let length = Int(digits)
        else { throw Fault.notANetwork }
        // `::ffff:10.0.0.0/104` counts all bits, `10.0.0.0/8` those of IPv4.
        let isDotted = !start.utf8.contains(UInt8(ascii: ":"))
        guard length <= (isDotted ? 32 : 128) else { throw Fault.tooLong(isIPv4: isDotted) }
        let bits = isDotted ? length + 96 : length
        self.init(address, bits: bits)
        guard first == address else { throw Fault.hostBits(self) }
    }

    private init(_ address: IPAddress, bits: Int) {
        first = address.keeping(bits)
        self.bits = bits
    }

    /// IPv4 addresses are in IPv4 networks alone, so `::/0` does not contain them.
    public func contains(_ address: IPAddress) -> Bool {
        address.isIPv4 == first.isIPv4 && address.keeping(bits) == first
    }

    /// Why a text is not a network.
    public enum Fault: Error, Sendable, Hashable {
        case notANetwork
        case noLength(IPAddress)
        case tooLong(isIPv4: Bool)
        /// The text has bits beyond the length; the network without them.
        case hostBits(IPNetwork)

        public var hint: String {
            switch self {
            case .notANetwork: "write an address and a length, such as `10.0.0.0/8` or `2001:db8::/32`"
            case .noLength(let address): "write `\(address)/\(address.isIPv4 ? 32 : 128)` for this one address"
            case .tooLong(let isIPv4): "the length is at most \(isIPv4 ? 32 : 128)"
            case .hostBits(let network): "write `\(network)`; an address in it is not the network"
            }
        }
    }
}

extension IPNetwork: CustomStringConvertible {
    /// The text that the initialiser reads.
    public var description: String { "\(first)/\(first.isIPv4 ? bits - 96 : bits)" }
}

extension IPAddress {
    /// The first bits, and zeros for the rest. Shifts beyond the width give zero.
    public func keeping(_ bits: Int) -> IPAddress {
        IPAddress(high: high & ~(UInt64.max >> bits), low: low & ~(UInt64.max >> max(0, bits - 64)))
    }
}
