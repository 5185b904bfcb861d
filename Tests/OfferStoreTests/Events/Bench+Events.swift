import OfferModel
import OfferStore
import OfferTestSupport

extension Bench {
    /// An instant some days from now.
    static func day(_ days: Double) -> Instant {
        now.adding(milliseconds: Int64(days * Double(Instant.Duration.day)))
    }

    func events(
        after sequence: Int64 = 0, in scope: ScopeNumber? = nil, _ types: Set<EventType>? = nil, limit: Int = 1_000
    ) async throws -> [StoredEvent] {
        try await database.read { try EventStore($0).page(after: sequence, scope: scope, types: types, limit: limit) }
    }

    /// The stored due events.
    func announced() async throws -> [StoredEvent] {
        try await events([.trialEnding, .graceEnding, .accessLost])
    }

    /// Takes payloads into Production, where Apple tries longer to charge than in Sandbox.
    func ingestInProduction(_ payloads: [HistoryPayload], at now: Instant = now) async throws {
        let scope = other
        _ = try await database.write { try HistoryStore($0).ingest(payloads, at: now, in: scope) }
    }

    /// Keeps what is due at an instant, and says how many dates were taken.
    @discardableResult
    func send(at now: Instant) async throws -> Int {
        try await database.write { try DueEventStore($0).send(at: now, limit: 200) }
    }

    func nextDue() async throws -> Instant? {
        try await database.read { try DueEventStore($0).next() }
    }
}

extension StoredEvent {
    var text: String { String(decoding: data, as: UTF8.self) }
}

extension HistoryPayload {
    /// A period of the monthly subscription `1`, from one day to another as counted from now, signed when it begins.
    static func period(
        _ id: TransactionId, of original: TransactionId = "1", _ first: Double, _ last: Double, signed: Double? = nil,
        _ provenance: Provenance = .notification, _ change: (inout Transaction) -> Void = { _ in }
    ) -> HistoryPayload {
        let transaction = Transaction.fixture(
            id, original: original, purchased: Bench.day(first), expires: Bench.day(last),
            signed: Bench.day(signed ?? first), change)
        return HistoryPayload(.transaction(transaction), bytes: Array("\(transaction)".utf8), provenance: provenance)
    }

    /// A free trial.
    static func trial(
        _ id: TransactionId, of original: TransactionId = "1", _ first: Double, _ last: Double, signed: Double? = nil,
        _ provenance: Provenance = .notification
    ) -> HistoryPayload {
        period(id, of: original, first, last, signed: signed, provenance) {
            $0.offerType = .introductory
            $0.offerDiscountType = .freeTrial
            $0.price = 0
        }
    }

    /// Renewal info of the subscription `1`, signed at a day.
    static func info(
        of original: TransactionId = "1", renews: Bool, signed: Double, _ provenance: Provenance = .notification,
        _ change: (inout RenewalInfo) -> Void = { _ in }
    ) -> HistoryPayload {
        let info = RenewalInfo.fixture(original, signed: Bench.day(signed)) {
            $0.autoRenewStatus = renews ? .on : .off
            change(&$0)
        }
        return HistoryPayload(.renewalInfo(info), bytes: Array("\(info)".utf8), provenance: provenance)
    }
}
