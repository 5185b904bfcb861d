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
            let packed = try record.packed()
            let read = try DecisionRecord(packed: packed)
            #expect(read == record, "seed \(seed), round \(round)")
            #expect(try read.packed() == packed, "seed \(seed), round \(round)")
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
    func canonical() throws {
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
            #expect(try one == other && one.packed() == other.packed(), "seed 5, round \(round)")
        }
    }

    @Test(
        "random bytes, cut records and flipped bits are read or refused, and never trap", arguments: [3, 4] as [UInt64])
    func hostile(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var read = 0
        func tryOut(_ bytes: [UInt8]) throws {
            guard let record = try? DecisionRecord(packed: bytes) else {
                #expect(throws: StoreError.self) { try DecisionRecord(stored: bytes) }
                return
            }
            read += 1
            let packed = try record.packed()
            #expect(try DecisionRecord(packed: packed).packed() == packed, "seed \(seed)")
        }
        for _ in 0..<3_000 {
            let count = Int.random(in: 0..<200, using: &generator)
            try tryOut([PackedForm.version] + (0..<count).map { _ in .random(in: .min ... .max, using: &generator) })
        }
        for round in 0..<6 {
            let packed = try DecisionRecord.random(&generator, isFull: round.isMultiple(of: 2)).packed()
            for end in packed.indices {
                try tryOut(Array(packed[..<end]))
                var edited = packed
                edited[end] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                try tryOut(edited)
                edited[end] = 0xFF
                try tryOut(edited)
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
        refuse(largest) { _ = try String(unpacking: &$0) }
        refuse(largest) { _ = try $0.list { try $0.byte() } }
        refuse(Array(repeating: 0xFF, count: 9) + [2]) { _ = try $0.varint() }
        refuse(Array(repeating: 0x80, count: 11)) { _ = try $0.varint() }
        // A number has one form.
        refuse([0x83, 0x00]) { _ = try $0.varint() }
        refuse([5, 0xC3, 0x28]) { _ = try String(unpacking: &$0) }
    }

    @Test("a record of another version is refused", arguments: [0, 1, 2, 4, 255] as [UInt8])
    func version(_ version: UInt8) throws {
        var packed = try DecisionRecord.fixture().packed()
        #expect(packed[0] == PackedForm.version)
        packed[0] = version
        #expect(throws: PackedError.self) { try DecisionRecord(packed: packed) }
    }

    @Test("a dictionary whose keys repeat or are out of order is refused")
    func keys() throws {
        func read(_ keys: [String]) throws -> [String: Int]? {
            var writer = PackedWriter()
            try writer.append(each: keys) { try $0.append($1, 1) }
            return try? writer.bytes.withUnsafeBytes { bytes in
                var reader = PackedReader(bytes)
                return try [String: Int](unpacking: &reader)
            }
        }
        #expect(try read(["a", "b"]) == ["a": 1, "b": 1])
        #expect(try read(["b", "a"]) == nil)
        #expect(try read(["a", "a"]) == nil)
    }

    @Test("a number beyond what is stored is not written (invariant 10)")
    func numbers() {
        let record = DecisionRecord.fixture { $0.historySequence = .max }
        #expect(throws: StoreError.corrupt("`\(Int64.max)` is beyond what is stored")) { try record.packed() }
    }

    @Test("no word has another code than the one that it is stored under, and no code is refused but those of no word")
    func codes() throws {
        try expect(Verdict.self, [1: "satisfied", 2: "violated", 3: "undetermined", 4: "notApplicable", 5: "lifted"])
        try expect(Pause.self, [1: "none", 2: "offer", 3: "everyOffer", 4: "limitedOffers"])
        try expect(
            Provenance.self,
            [1: "notification", 2: "client", 3: "serverAPI", 4: "caller", 5: "receipt", 6: "operator"])
        try expect(SignatureFormat.self, [1: "v1", 2: "v2"])
        try expect(Coverage.Level.self, [1: "none", 2: "partial", 3: "complete"])
        try expect(KeptEvidence.Kind.self, [1: "period", 2: "pending"])
        try expect(
            RuleId.self,
            [
                1: "catalog.status", 2: "catalog.schedule", 3: "catalog.environment", 4: "catalog.product",
                5: "catalog.paused", 6: "platform.introductory.unusedInGroup", 7: "platform.introductory.notSubscribed",
                8: "platform.introductory.transactionKnown", 9: "platform.promotional.everSubscribed",
                10: "platform.promotional.notApplied", 11: "platform.winBack.lapsed",
                12: "platform.winBack.autoRenewOff", 13: "platform.winBack.owned",
                14: "platform.winBack.noActiveInGroup", 15: "platform.winBack.paidDuration",
                16: "platform.winBack.timeSinceLastSubscribed", 17: "platform.winBack.waitBetweenOffers",
                18: "platform.winBack.listedByAppStore", 19: "rule.eligibility", 20: "rule.availableFor",
                21: "rollout.percent", 22: "rollout.holdout", 23: "limit.customer", 24: "limit.customerWindow",
                25: "limit.total", 26: "limit.budget", 27: "limit.coolDown", 28: "limit.excludes",
                29: "limit.signatures", 30: "limit.account", 31: "rule.again", 32: "grant.applied",
            ])
        try expect(
            ReasonCode.self,
            [
                1: "holds", 2: "notApplicable", 3: "heldOpen", 4: "historyIncomplete", 5: "historyStale",
                6: "expiryUnknown", 7: "groupUnknown", 8: "groupMismatch", 9: "introductoryOfferShared",
                10: "transactionUnknown", 11: "renewalInfoMissing", 12: "valueUnknown", 13: "signalMissing",
                14: "typeMismatch", 15: "currencyMismatch", 16: "factUnknown", 17: "comparisonMalformed",
                18: "usesNotCounted", 19: "noSubscription", 20: "noAccess", 21: "accessGoesOn", 22: "nothingPending",
                23: "attributeMissing", 24: "deviceUnknown", 25: "textUnreadable", 26: "noPurchase", 27: "noRedemption",
                28: "storefrontUnknown", 29: "appTransactionUnknown", 30: "offerUnknown", 31: "rolloutKeyUnknown",
                32: "offerDraft", 33: "offerArchived", 34: "notStarted", 35: "ended", 36: "environmentExcluded",
                37: "formatExcluded", 38: "productExcluded", 39: "offerPaused", 40: "everyOfferPaused",
                41: "introductoryOfferUsed", 42: "activeInGroup", 43: "neverSubscribed", 44: "familySharedOnly",
                45: "offerPending", 46: "offerRunning", 47: "notLapsed", 48: "autoRenewOn", 49: "paidTooShort",
                50: "lapsedTooRecently", 51: "lapsedTooLongAgo", 52: "redeemedTooRecently", 53: "notListedByAppStore",
                54: "conditionNotMet", 55: "limitReached", 56: "signingsUsedUp", 57: "availabilityEnded",
                58: "notInRollout", 59: "heldOut", 60: "coolingDown", 61: "excludedByOffer", 62: "accountUnknown",
                63: "noOffer", 64: "valueMissing", 65: "restoredRecently",
            ])
    }

    /// Each word of a list by its code, which stays its own for ever.
    private func expect<Word: PackedWord & CaseIterable & RawRepresentable<String>>(
        _ type: Word.Type, _ codes: [UInt64: String]
    ) throws {
        for word in Word.allCases {
            var writer = PackedWriter()
            try writer.append(word)
            #expect(read(writer.bytes) == word, "\(word)")
        }
        for code in 0..<300 as Range<UInt64> {
            var writer = PackedWriter()
            writer.append(varint: code << 1)
            #expect((read(writer.bytes) as Word?)?.rawValue == codes[code], "\(type) \(code)")
            // An odd header begins a text.
            var text = PackedWriter()
            text.append(varint: code << 1 | 1)
            #expect(read(text.bytes + [UInt8](repeating: 0x61, count: 300)) as Word? == nil)
        }
        #expect(codes.count == Word.allCases.count)
    }

    private func read<Word: PackedWord>(_ bytes: [UInt8]) -> Word? {
        try? bytes.withUnsafeBytes { bytes in
            var reader = PackedReader(bytes)
            return try Word(unpacking: &reader)
        }
    }
}
