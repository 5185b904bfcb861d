import OfferEligibility
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferStore

@Suite("Packed decision records")
struct PackedRecordTests {
    @Test(
        "a record is read as it was packed, whatever it holds", arguments: [1, 77, 20_261_122] as [UInt64],
        [true, false])
    func roundTrip(seed: UInt64, isFull: Bool) throws {
        var generator = SeededGenerator(seed: seed)
        for round in 0..<300 {
            let record = DecisionRecord.random(&generator, isFull: isFull)
            let packed = record.packed()
            let read = try DecisionRecord(packed: packed)
            #expect(read == record, "seed \(seed), round \(round)")
            #expect(read.packed() == packed, "seed \(seed), round \(round)")
        }
    }

    @Test("a record names each subscription of the history once, in order, however its rows are mixed")
    func subscriptions() {
        let rows = ["2", "1", "2", "10", "10"].enumerated().map { index, subscription in
            Recorded(
                payload: Transaction(
                    transactionId: TransactionId("\(index)"), originalTransactionId: TransactionId(subscription),
                    bundleId: "com.example.app", productId: "monthly", purchaseDate: .distantPast,
                    signedDate: .distantPast),
                payloadBytes: [], provenance: .client, sequence: Int64(index))
        }
        #expect(SeenIdentifiers(History(transactions: rows)).originalTransactionIds == ["1", "10", "2"])
    }

    @Test("equal records are equal bytes, in whatever order their facts were put in")
    func canonical() {
        var generator = SeededGenerator(seed: 5)
        for round in 0..<50 {
            let numbers = Array(0..<40)
            func record(_ order: [Int]) -> DecisionRecord {
                .fixture { record in
                    var counters = OfferCounters(asOf: Bench.now)
                    for number in order {
                        record.signals["s\(number)"] = .number(Double(number))
                        record.attributes["a\(number)"] = .boolean(true)
                        record.openedAt[OfferId("o\(number)")] = Bench.now
                        counters.spent["C\(number)"] = Int64(number)
                        counters.unmatched[ProductId("p\(number)")] = number
                    }
                    record.counters = counters
                }
            }
            let (one, other) = (
                record(numbers.shuffled(using: &generator)), record(numbers.shuffled(using: &generator))
            )
            #expect(one == other && one.packed() == other.packed(), "seed 5, round \(round)")
        }
    }

    @Test("a member that changes changes the bytes")
    func everyMember() {
        var generator = SeededGenerator(seed: 9)
        for round in 0..<200 {
            let (one, other) = (
                DecisionRecord.random(&generator, isFull: true), DecisionRecord.random(&generator, isFull: true)
            )
            #expect((one == other) == (one.packed() == other.packed()), "seed 9, round \(round)")
        }
    }

    @Test(
        "random bytes, cut records and flipped bits are read or refused, and never trap", arguments: [3, 4] as [UInt64])
    func hostile(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var read = 0
        func tryOut(_ bytes: [UInt8]) {
            guard let record = try? DecisionRecord(packed: bytes) else {
                #expect(throws: StoreError.self) { try DecisionRecord(stored: bytes) }
                return
            }
            read += 1
            _ = record.packed()
        }
        for _ in 0..<3_000 {
            let count = Int.random(in: 0..<200, using: &generator)
            tryOut([1] + (0..<count).map { _ in .random(in: .min ... .max, using: &generator) })
        }
        for round in 0..<6 {
            let packed = DecisionRecord.random(&generator, isFull: round.isMultiple(of: 2)).packed()
            for end in packed.indices {
                tryOut(Array(packed[..<end]))
                var edited = packed
                edited[end] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                tryOut(edited)
                edited[end] = 0xFF
                tryOut(edited)
            }
            #expect(throws: PackedError.self, "seed \(seed)") { try DecisionRecord(packed: packed + [0]) }
            for end in packed.indices {
                #expect(throws: PackedError.self, "seed \(seed), cut at \(end)") {
                    try DecisionRecord(packed: Array(packed[..<end]))
                }
            }
        }
        #expect(read > 100, "seed \(seed)")
    }

    @Test("a record that claims more than its bytes hold makes room for none of it")
    func claims() {
        let largest: [UInt8] = Array(repeating: 0xFF, count: 9) + [1]
        func refuse(_ bytes: [UInt8], _ read: (inout PackedReader) throws -> Void) {
            bytes.withUnsafeBytes { bytes in
                var reader = PackedReader(bytes)
                #expect(throws: PackedError.self) { try read(&reader) }
            }
        }
        refuse(largest) { _ = try $0.text() }
        refuse(largest) { _ = try $0.list { try $0.byte() } }
        refuse(Array(repeating: 0xFF, count: 9) + [2]) { _ = try $0.unsigned() }
        refuse(Array(repeating: 0x80, count: 11)) { _ = try $0.unsigned() }
        refuse([2, 0xC3, 0x28]) { _ = try $0.text() }
    }

    /// Each list of words as records hold them: a word is stored as its place, so a new one may only be added at the
    /// end.
    @Test("no word has another place than the one that it is stored under")
    func places() {
        #expect(Verdict.allCases.map(\.rawValue) == ["satisfied", "violated", "undetermined", "notApplicable"])
        #expect(Pause.allCases.map(\.rawValue) == ["none", "offer", "everyOffer"])
        #expect(
            Provenance.allCases.map(\.rawValue) == [
                "notification", "client", "serverAPI", "caller", "receipt", "operator",
            ])
        #expect(SignatureFormat.allCases.map(\.rawValue) == ["v1", "v2"])
        #expect(Coverage.Level.allCases.map(\.rawValue) == ["none", "partial", "complete"])
        #expect(KeptEvidence.Kind.allCases.map(\.rawValue) == ["period", "pending"])
        #expect(
            RuleId.allCases.map(\.rawValue) == [
                "catalog.status", "catalog.schedule", "catalog.environment", "catalog.product", "catalog.paused",
                "platform.introductory.unusedInGroup", "platform.introductory.notSubscribed",
                "platform.introductory.transactionKnown", "platform.promotional.everSubscribed",
                "platform.promotional.notApplied", "platform.winBack.lapsed", "platform.winBack.autoRenewOff",
                "platform.winBack.owned", "platform.winBack.noActiveInGroup", "platform.winBack.paidDuration",
                "platform.winBack.timeSinceLastSubscribed", "platform.winBack.waitBetweenOffers",
                "platform.winBack.listedByAppStore", "rule.eligibility", "rule.availableFor", "rollout.percent",
                "rollout.holdout", "limit.customer", "limit.customerWindow", "limit.total", "limit.budget",
                "limit.coolDown", "limit.excludes", "limit.signatures", "limit.account", "rule.again",
            ])
        #expect(
            ReasonCode.allCases.map(\.rawValue) == [
                "holds", "notApplicable", "heldOpen", "historyIncomplete", "historyStale", "expiryUnknown",
                "groupUnknown", "groupMismatch", "introductoryOfferShared", "transactionUnknown",
                "renewalInfoMissing", "valueUnknown", "signalMissing", "typeMismatch", "currencyMismatch",
                "factUnknown", "comparisonMalformed", "usesNotCounted", "noSubscription", "noAccess", "accessGoesOn",
                "nothingPending", "attributeMissing", "deviceUnknown", "textUnreadable", "noPurchase", "noRedemption",
                "storefrontUnknown", "appTransactionUnknown", "offerUnknown", "rolloutKeyUnknown", "offerDraft",
                "offerArchived", "notStarted", "ended", "environmentExcluded", "formatExcluded", "productExcluded",
                "offerPaused", "everyOfferPaused", "introductoryOfferUsed", "activeInGroup", "neverSubscribed",
                "familySharedOnly", "offerPending", "offerRunning", "notLapsed", "autoRenewOn", "paidTooShort",
                "lapsedTooRecently", "lapsedTooLongAgo", "redeemedTooRecently", "notListedByAppStore",
                "conditionNotMet", "limitReached", "signingsUsedUp", "availabilityEnded", "notInRollout", "heldOut",
                "coolingDown", "excludedByOffer", "accountUnknown", "noOffer", "valueMissing",
            ])
    }
}
