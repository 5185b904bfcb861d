/// The indices of keys in the order in which they were first met.
///
/// A history has few groups and few subscriptions; searching a few is quicker than hashing.
struct IndexMap<Key: Hashable & Sendable>: Sendable {
    private(set) var keys: [Key] = []
    private var hashed: [Key: Int] = [:]
    /// The place of the key that was met last: rows of one subscription often follow each other.
    private var recent = 0

    private static var few: Int { 8 }

    /// The place of a key; the next one if it was not met before.
    mutating func place(of key: Key) -> Int {
        if recent < keys.count, keys[recent] == key { return recent }
        if let known = keys.count <= Self.few ? keys.lastIndex(of: key) : hashed[key] {
            recent = known
            return known
        }
        recent = keys.count
        keys.append(key)
        if keys.count > Self.few {
            if hashed.isEmpty { for place in keys.indices { hashed[keys[place]] = place } }
            hashed[key] = keys.count - 1
        }
        return keys.count - 1
    }
}

/// The indices of identifiers in the order in which they were first met, of which there may be hundreds.
///
/// Swift's hash would cost more than all other work on a row. The hash here starts from a number that differs per
/// process, so that collisions cannot be chosen from outside; results never depend on it.
struct IdentifierIndexMap<Kind> {
    private var met: [Identifier<Kind>] = []
    /// By hash, the place of an identifier; beside it where another one has that hash. At most half of it is taken.
    private var table: [Int32]

    private static var free: Int32 { -1 }

    /// - Parameter capacity: how many different ones there may be at most.
    init(capacity: Int) {
        var size = 2
        while size < capacity * 2 { size *= 2 }
        table = Array(repeating: Self.free, count: size)
        met.reserveCapacity(capacity)
    }

    /// The place of an identifier; the next one if it was not met before.
    mutating func place(of identifier: Identifier<Kind>) -> Int {
        let mask = table.count - 1
        var slot = Int(truncatingIfNeeded: identifier.rawValue.mixedBytes) & mask
        while table[slot] != Self.free {
            if met[Int(table[slot])] == identifier { return Int(table[slot]) }
            slot = (slot + 1) & mask
        }
        table[slot] = Int32(truncatingIfNeeded: met.count)
        met.append(identifier)
        return met.count - 1
    }
}

/// As random as Swift's own hash, and the same every time where that is: counted instructions stay comparable.
private let seed = UInt64(truncatingIfNeeded: 0.hashValue)

extension String {
    /// Every eight bytes are multiplied in, and both halves of the product count.
    fileprivate var mixedBytes: UInt64 {
        utf8.withContiguousStorageIfAvailable { bytes in
            var (mixed, word, filled) = (seed ^ UInt64(truncatingIfNeeded: bytes.count), UInt64(0), 0)
            for byte in bytes {
                word = word << 8 | UInt64(truncatingIfNeeded: byte)
                filled += 1
                if filled == 8 {
                    mixed = mixed.mixed(with: word)
                    (word, filled) = (0, 0)
                }
            }
            return mixed.mixed(with: word)
        } ?? utf8.reduce(seed) { $0.mixed(with: UInt64(truncatingIfNeeded: $1)) }
    }
}

extension UInt64 {
    fileprivate func mixed(with word: UInt64) -> UInt64 {
        let product = (self ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first place of which the condition holds, where it holds of all later ones too; the end if of none.
    func firstPlace(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
