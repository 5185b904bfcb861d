import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

/// What the tables hold, read with SQL of the tests' own.
struct Ledger: Sendable {
    var issuedOffers: [String]
    var nonces: [String]
    /// Nonces whose first 48 bits are not the milliseconds of their signing.
    var misdatedNonces: [String]
    var artefacts: [String]
    var openPlaces: [String]
    var decisions: Int
    var sequence: Int64
    var lastInstant: Instant?

    static func read(_ transaction: any StoreTransaction) throws -> Ledger {
        func texts(_ sql: String) throws -> [String] {
            try transaction.rows(Statement(sql)).map { try $0.value(0) }
        }
        return Ledger(
            issuedOffers: try texts("SELECT id FROM issued_offer ORDER BY sequence"),
            nonces: try texts("SELECT nonce FROM signature"),
            misdatedNonces: try texts(
                """
                SELECT nonce FROM signature
                WHERE substr(nonce, 1, 8) || substr(nonce, 10, 4) <> printf('%012x', signed_at)
                """), artefacts: try texts("SELECT artefact FROM signature"),
            openPlaces: try texts(
                """
                SELECT customer_id || '/' || offer_id FROM issued_offer
                WHERE voided_at IS NULL AND settled_at IS NULL
                """),
            decisions: try texts("SELECT id FROM decision").count,
            sequence: try StoreClock(transaction).newestSequence(),
            lastInstant: try StoreClock(transaction).lastInstant())
    }
}

extension Workbench {
    func ledger() async throws -> Ledger {
        try await database.read(Ledger.read)
    }

    /// What was recorded of a decision.
    func record(of decision: LowercaseUUID) async throws -> DecisionRecord {
        try await database.read { transaction in
            let row = try transaction.row(Statement("SELECT record FROM decision WHERE id = ?1", decision))
            return try DecisionRecord(stored: try #require(row).value(0))
        }
    }

    /// Counts the rows of a table.
    func count(_ table: String) async throws -> Int {
        try await database.read { try $0.rows(Statement("SELECT 1 FROM \(table)")).count }
    }

    /// Holds the ledger to what must be true after every step.
    func checkLedger(location: SourceLocation = #_sourceLocation) async throws {
        let ledger = try await ledger()
        let unrecorded = Set(releasedArtefacts).subtracting(ledger.artefacts)
        #expect(unrecorded.isEmpty, "released without a row", sourceLocation: location)
        #expect(
            Set(ledger.openPlaces).count == ledger.openPlaces.count, "two open issued offers", sourceLocation: location)
        #expect(Set(ledger.nonces).count == ledger.nonces.count, "a nonce twice", sourceLocation: location)
        let version7 = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        for nonce in ledger.nonces {
            #expect(nonce.wholeMatch(of: version7) != nil, "\(nonce)", sourceLocation: location)
        }
        #expect(ledger.misdatedNonces == [], "a nonce of another instant", sourceLocation: location)
        try await checkCounters(location: location)
        let overruns = try await overruns(at: max(clock.now, ledger.lastInstant ?? clock.now))
        #expect(toleratesOverrun || overruns.isEmpty, "above the limit", sourceLocation: location)
    }

    /// Holds the counters to what the issued offers and the histories say: recounted, not read.
    private func checkCounters(location: SourceLocation) async throws {
        let (counted, recounted) = try await database.read { transaction in
            (try Recount.stored(transaction), try Recount.again(transaction))
        }
        #expect(counted == recounted, "the counters are not what they count", sourceLocation: location)
    }

    /// The customers and offers whose counting issued offers and known redemptions are more than allowed.
    func overruns(at now: Instant) async throws -> [String] {
        try await database.read { transaction in
            let customers = try transaction.rows(Statement("SELECT id FROM customer WHERE merged_into IS NULL"))
            return try customers.flatMap { row -> [String] in
                let customer = CustomerNumber(rawValue: try row.value(0))
                let facts = SubjectFacts(
                    history: try HistoryStore(transaction).history(of: [customer]),
                    issuedOffers: try IssuedOfferStore(transaction).issuedOffers(of: [customer]))
                let granted = Set(facts.issuedOffers.filter { $0.grantId != nil }.map(\.id))
                let redemptions = facts.redemptions().filter { use in
                    use.isDoubled || use.issuedOfferId.map { !granted.contains($0) } ?? true
                }
                let used = Set(redemptions.compactMap(\.issuedOfferId))
                return TestCatalog.limits.compactMap { offer, limit in
                    let redeemed = redemptions.filter {
                        $0.offerIdentifier == limit.offerIdentifier
                            && $0.offerType == (limit.offerIdentifier == nil ? .introductory : .promotional)
                    }
                    let counting = facts.issuedOffers.filter {
                        $0.offerId == offer && now < $0.countsUntil && !$0.isReleased && !used.contains($0.id)
                            && $0.grantId == nil
                    }
                    // An introductory use known from before is no place of ours: then nothing may be issued at all.
                    let places = counting.count + redeemed.count
                    return places > max(limit.count, counting.isEmpty ? places : 0) ? "\(customer) \(offer)" : nil
                }
            }
        }
    }
}
