/// The places of keys in the order in which they were first met.
///
/// A history has few groups and few subscriptions. To look through a few is quicker than to hash, which many need.
struct Places<Key: Hashable & Sendable>: Sendable {
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
