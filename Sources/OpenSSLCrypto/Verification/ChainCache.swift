import Synchronization

/// Chains or intermediates that were verified lately, so that a payload costs one signature check instead of three.
///
/// The key is a digest of what is signed in the certificates, of their signatures in one form, *and* of what the
/// environment trusts: a chain accepted for Sandbox says nothing about Production, and another spelling of a certificate
/// takes no place of its own. Only what was verified gets in, so nobody can fill it with rubbish. It is bounded: what was
/// unused for longest goes first. Entries expire, counted from their verification and not from their last use.
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

    /// How many chains it holds, expired ones included.
    var count: Int {
        contents.withLock { $0.entries.count }
    }

    /// What was verified, unless it never was, was displaced or has expired.
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

    /// Keeps what was just verified, and lets go of something if there is too much.
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
