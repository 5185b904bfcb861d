import OfferModel
import Synchronization

/// Recently verified chains or intermediates, so that a payload costs one signature check instead of three.
///
/// The key is a digest of what is signed in the certificates, of their signatures in one form, *and* of what the
/// environment trusts: a chain accepted for Sandbox says nothing about Production, and another spelling of a
/// certificate takes no place of its own. Only what was verified gets in, so an attacker cannot fill it. It is bounded:
/// what was unused for longest goes first. Entries expire, counted from their verification and not from their last use.
final class ChainCache<Verified: Sendable>: Sendable {
    private struct Entry {
        let verified: Verified
        let verifiedAt: ContinuousClock.Instant
        var lastUse: UInt64
    }

    private struct Contents {
        var entries: [[UInt8]: Entry] = [:]
        var uses: UInt64 = 0
    }

    private let contents = Mutex(Contents())
    private let capacity: Int
    private let lifetime: Duration
    private let now: @Sendable () -> ContinuousClock.Instant

    init(capacity: Int, lifetime: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.capacity = capacity
        self.lifetime = lifetime
        self.now = now
    }

    var count: Int {
        contents.withLock { $0.entries.count }
    }

    /// The verified chain, unless it never was, was displaced or has expired.
    func verified(for key: [UInt8]) -> Verified? {
        let present = now()
        return contents.withLock { contents in
            guard let entry = contents.entries[key] else { return nil }
            guard present - entry.verifiedAt < lifetime else {
                contents.entries[key] = nil
                return nil
            }
            contents.uses += 1
            contents.entries[key]?.lastUse = contents.uses
            return entry.verified
        }
    }

    func insert(_ verified: Verified, for key: [UInt8]) {
        let present = now()
        contents.withLock { contents in
            contents.uses += 1
            contents.entries[key] = Entry(verified: verified, verifiedAt: present, lastUse: contents.uses)
            guard contents.entries.count > capacity else { return }
            let oldest = contents.entries.min { $0.value.lastUse < $1.value.lastUse }
            if let oldest { contents.entries[oldest.key] = nil }
        }
    }
}

/// The cache keys of recent chains, by the text of their certificates: to find them without decoding and digesting
/// three certificates for every payload.
///
/// A key follows from the text and from what is trusted, so none is ever stale; whether the chain still counts is the
/// ``ChainCache``'s to say. Only chains that were verified get in. Each has at most four texts, because (r, s) and
/// (r, n − s) are all that can differ in the leaf and the intermediate: so texts of a few chains cannot displace
/// others.
final class ChainKeys: Sendable {
    private struct Entry {
        let certificates: [String]
        let trusted: [UInt8]
        let key: [UInt8]

        /// Bytes are compared: texts that look alike are equal to `String`, and other certificates.
        func holds(_ certificates: [String], trusted: [UInt8]) -> Bool {
            self.trusted == trusted && self.certificates.count == certificates.count
                && zip(self.certificates, certificates).allSatisfy { $0.hasSameBytes(as: $1) }
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
