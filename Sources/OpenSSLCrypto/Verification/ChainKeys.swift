import Synchronization

/// The cache keys of chains met lately, by the text of their certificates: to find them without decoding and digesting
/// three certificates for every payload.
///
/// A key follows from the text and from what is trusted, so none is ever stale; whether the chain still counts is the
/// ``ChainCache``'s to say. Only chains that were verified get in. Each has at most four texts, because (r, s) and
/// (r, n − s) are all that can differ in the leaf and the intermediate: so texts of a few chains cannot displace others.
final class ChainKeys: Sendable {
    private struct Entry {
        let certificates: [String]
        let trusted: [UInt8]
        let key: [UInt8]

        /// Bytes are compared: texts that look alike are equal to `String`, and other certificates.
        func holds(_ certificates: [String], trusted: [UInt8]) -> Bool {
            self.trusted == trusted && self.certificates.count == certificates.count
                && zip(self.certificates, certificates).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
        }
    }

    /// Every text of 16 chains: Apple signs with few certificates at a time.
    private static let capacity = 64

    private let entries = Mutex<[Entry]>([])

    /// The key of a chain; `nil` if it has to be made.
    func key(of certificates: [String], trusted: [UInt8]) -> [UInt8]? {
        entries.withLock { entries in
            guard let place = entries.lastIndex(where: { $0.holds(certificates, trusted: trusted) }) else { return nil }
            if place != entries.indices.last { entries.append(entries.remove(at: place)) }
            return entries.last?.key
        }
    }

    /// Keeps a key; the one unused for longest makes room.
    func remember(_ key: [UInt8], of certificates: [String], trusted: [UInt8]) {
        entries.withLock { entries in
            guard !entries.contains(where: { $0.holds(certificates, trusted: trusted) }) else { return }
            if entries.count >= Self.capacity { entries.removeFirst() }
            entries.append(Entry(certificates: certificates, trusted: trusted, key: key))
        }
    }
}
