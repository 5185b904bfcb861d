/// The places of keys in the order in which they were first met.
///
/// A history has few groups and few subscriptions. To look through a few is quicker than to hash, which many need.
struct Places<Key: Hashable & Sendable>: Sendable {
    private(set) var keys: [Key] = []
    private var hashed: [Key: Int] = [:]

    private static var few: Int { 8 }

    /// The place of a key; the next one if it was not met before.
    mutating func place(of key: Key) -> Int {
        if let known = keys.count <= Self.few ? keys.lastIndex(of: key) : hashed[key] { return known }
        keys.append(key)
        if keys.count > Self.few {
            if hashed.isEmpty { for place in keys.indices { hashed[keys[place]] = place } }
            hashed[key] = keys.count - 1
        }
        return keys.count - 1
    }
}
