import OfferModel
import OfferStore
import Synchronization

/// The ids of all API keys, read at most once a second: a flood of tokens with unknown ids reads no row for each.
final class KnownAPIKeys: Sendable {
    private struct Reading {
        var ids: Set<String>
        var time: Int64
    }

    /// How long a reading that lacks an id is believed, in nanoseconds: a new key may take so long to be accepted from
    /// an address with too many failures.
    private static let life: Int64 = 1_000_000_000

    private let newest = Mutex<Reading?>(nil)

    /// Whether there is a key of that id, or was a second ago.
    func contain(_ id: String, at now: Int64, in database: Ledger) async throws -> Bool {
        let answer = newest.withLock { newest -> Bool? in
            guard let reading = newest else { return nil }
            if reading.ids.contains(id) { return true }
            guard now &- reading.time >= Self.life else { return false }
            // The others go by this reading while one reads again.
            newest?.time = now
            return nil
        }
        if let answer { return answer }
        let ids = Set(try await database.readInline { try APIKeyStore($0).ids() })
        newest.withLock { $0 = Reading(ids: ids, time: now) }
        return ids.contains(id)
    }
}

extension Instant {
    var startOfHour: Instant { Instant(milliseconds: milliseconds - milliseconds % Duration.hour) }
}

/// The hours in which API keys were last used, as far as they are not stored yet.
final class APIKeyUses: Sendable {
    private struct Content {
        /// Of every key since the start, so that an hour is stored once.
        var newest: [String: Instant] = [:]
        var unstored: [String: Instant] = [:]
    }

    private let content = Mutex(Content())

    func note(_ id: String, at now: Instant) {
        let hour = now.startOfHour
        content.withLock { content in
            guard content.newest[id] != hour else { return }
            content.newest[id] = hour
            content.unstored[id] = hour
        }
    }

    var unstored: [String: Instant] { content.withLock { $0.unstored } }

    func takeUnstored() -> [String: Instant] {
        content.withLock { content in
            defer { content.unstored = [:] }
            return content.unstored
        }
    }

    /// Takes back what could not be stored.
    func restore(_ uses: [String: Instant]) {
        content.withLock { $0.unstored.merge(uses, uniquingKeysWith: max) }
    }
}
