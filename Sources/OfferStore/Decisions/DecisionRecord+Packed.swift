import FoundationEssentials
import OfferEligibility
import OfferModel

// The packed form, version 1. Members stand in a fixed order; dictionaries are sorted by their keys' bytes, so that equal
// records are equal bytes.
extension DecisionRecord {
    private static let version: UInt8 = 1

    public func packed() -> [UInt8] {
        var moving: [Range<Int>] = []
        return packed(noting: &moving)
    }

    /// The record as it is stored, with the places of what moves by itself without changing the decision: the instant, the
    /// newest row, the counters that everyone shares, and until when the history is complete.
    public func packed(noting moving: inout [Range<Int>]) -> [UInt8] {
        var writer = PackedWriter(capacity: 512)
        func note(_ write: (inout PackedWriter) -> Void) {
            let start = writer.bytes.count
            write(&writer)
            moving.append(start..<writer.bytes.count)
        }
        writer.append(Self.version)
        note { $0.append(now) }
        writer.append(order.originalTransactionId?.rawValue) { $0.append($1) }
        writer.append(order.appTransactionId?.rawValue) { $0.append($1) }
        writer.append(order.appAccountToken?.description) { $0.append($1) }
        writer.append(order.customerId?.rawValue) { $0.append($1) }
        writer.append(each: order.formats) { $0.append(place: $1) }
        writer.append(order.fresh)
        writer.append(catalogRevision)
        writer.append(place: pause)
        writer.append(productId.rawValue)
        writer.append(needsNewSigning)
        writer.append(each: formats) { $0.append(place: $1) }
        writer.append(signals)
        writer.append(request.appVersion) { $0.append($1) }
        writer.append(request.osVersion) { $0.append($1) }
        writer.append(request.locale) { $0.append($1) }
        writer.append(attributes)
        writer.append(firstStoredAt) { $0.append($1) }
        writer.append(rolloutKey) { $0.append($1) }
        writer.append(each: openedAt.sorted { $0.key < $1.key }) { writer, opening in
            writer.append(opening.key.rawValue)
            writer.append(opening.value)
        }
        writer.append(each: customers) { $0.append($1.rawValue) }
        writer.append(each: identifiers.originalTransactionIds) { $0.append($1.rawValue) }
        writer.append(each: identifiers.appTransactionIds) { $0.append($1.rawValue) }
        note { $0.append(historySequence) }
        writer.append(each: slots) { $0.append($1) }
        writer.append(each: keptEvidence) { $0.append($1) }
        note { $0.append(counters) { $0.append($1) } }
        writer.append(place: coverage.level)
        note { $0.append(coverage.asOf) { $0.append($1) } }
        writer.append(coverage.provenance) { $0.append(place: $1) }
        writer.append(each: findings) { $0.append($1) }
        return writer.bytes
    }

    /// Reads a record of a row.
    ///
    /// - Throws: ``StoreError/corrupt(_:)`` if it is none.
    public init(stored bytes: [UInt8]) throws(StoreError) {
        do {
            try self.init(packed: bytes)
        } catch {
            throw StoreError.corrupt("the record of a decision cannot be read")
        }
    }

    /// Reads a record.
    ///
    /// - Throws: ``PackedError`` if it is none.
    public init(packed bytes: [UInt8]) throws {
        var reader = PackedReader(bytes)
        guard try reader.byte() == Self.version else { throw PackedError() }
        now = try reader.instant()
        order = try Order(
            originalTransactionId: reader.optional { TransactionId(try $0.text()) },
            appTransactionId: reader.optional { AppTransactionId(try $0.text()) },
            appAccountToken: reader.optional { try $0.uuid() },
            customerId: reader.optional { CustomerId(try $0.text()) },
            formats: reader.list { try $0.value() }, fresh: reader.flag())
        catalogRevision = try reader.count()
        pause = try reader.value()
        productId = ProductId(try reader.text())
        needsNewSigning = try reader.flag()
        formats = try reader.list { try $0.value() }
        signals = try reader.facts()
        request = try DeviceRequest(
            appVersion: reader.optional { try $0.text() }, osVersion: reader.optional { try $0.text() },
            locale: reader.optional { try $0.text() })
        attributes = try reader.facts()
        firstStoredAt = try reader.optional { try $0.instant() }
        rolloutKey = try reader.optional { try $0.text() }
        openedAt = Dictionary(try reader.list { (OfferId(try $0.text()), try $0.instant()) }) { first, _ in first }
        customers = try reader.list { CustomerNumber(rawValue: try $0.integer()) }
        identifiers = SeenIdentifiers(
            originalTransactionIds: try reader.list { TransactionId(try $0.text()) },
            appTransactionIds: try reader.list { AppTransactionId(try $0.text()) })
        historySequence = try reader.integer()
        slots = try reader.list { try SeenSlot(reading: &$0) }
        keptEvidence = try reader.list { try KeptEvidence(reading: &$0) }
        counters = try reader.optional { try OfferCounters(reading: &$0) }
        coverage = try Coverage(
            level: reader.value(), asOf: reader.optional { try $0.instant() },
            provenance: reader.optional { try $0.value() })
        findings = try reader.list { try RuleAnswer(reading: &$0) }
        guard reader.isAtEnd else { throw PackedError() }
    }
}

// A word is stored as its place in its list, so a list may only grow at its end: PackedRecordTests holds each to it.
extension PackedWriter {
    fileprivate mutating func append<Word: CaseIterable & Equatable>(place word: Word) {
        append(UInt64(clamping: Word.allCases.enumerated().first { $0.element == word }?.offset ?? 0))
    }

    fileprivate mutating func append(_ facts: [String: FactValue]) {
        append(each: facts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) { writer, fact in
            writer.append(fact.key)
            writer.append(fact.value)
        }
    }

    private mutating func append(_ value: FactValue) {
        switch value {
        case .text(let text):
            append(UInt8(0))
            append(text)
        case .number(let number):
            append(UInt8(1))
            append(number)
        case .boolean(let flag):
            append(UInt8(2))
            append(flag)
        case .money(let money):
            append(UInt8(3))
            append(money.milliunits)
            append(money.currency)
        case .instant(let instant):
            append(UInt8(4))
            append(instant)
        }
    }

    fileprivate mutating func append(_ slot: DecisionRecord.SeenSlot) {
        append(slot.id.description)
        append(slot.signings)
        append(slot.expiresAt)
        append(slot.countsUntil)
        append(slot.voidedAt) { $0.append($1) }
        append(slot.isReleased)
        append(slot.settledAt) { $0.append($1) }
    }

    fileprivate mutating func append(_ kept: KeptEvidence) {
        append(place: kept.kind)
        append(kept.originalTransactionId.rawValue)
        append(kept.subscriptionGroupIdentifier.rawValue)
        append(kept.productId.rawValue)
        append(kept.offerType?.rawValue) { $0.append($1) }
        append(kept.offerIdentifier?.rawValue) { $0.append($1) }
        append(kept.offerPeriod) { $0.append($1) }
        append(kept.at)
        append(kept.expires) { $0.append($1) }
        append(kept.revoked) { $0.append($1) }
        append(kept.isRenewal)
        append(kept.isUpgraded)
        append(place: kept.provenance)
        append(kept.slotId?.description) { $0.append($1) }
    }

    fileprivate mutating func append(_ counters: OfferCounters) {
        append(counters.asOf)
        append(counters.places)
        append(each: counters.spent.sorted { $0.key < $1.key }) { writer, spent in
            writer.append(spent.key)
            writer.append(spent.value)
        }
        append(each: counters.unmatched.sorted { $0.key < $1.key }) { writer, unmatched in
            writer.append(unmatched.key)
            writer.append(unmatched.value)
        }
        append(each: counters.open) { writer, place in
            writer.append(place.id.description)
            writer.append(place.countsUntil)
            writer.append(place.cost) { $0.append($1) }
            writer.append(place.currency) { $0.append($1) }
        }
        append(each: counters.endings) { writer, ending in
            writer.append(ending.unit.name)
            writer.append(ending.amount)
            writer.append(ending.at) { $0.append($1) }
        }
    }

    fileprivate mutating func append(_ answer: RuleAnswer) {
        append(place: answer.rule)
        append(place: answer.verdict)
        append(place: answer.reason)
        append(each: answer.facts) { $0.append($1) }
    }
}

extension PackedReader {
    fileprivate mutating func value<Word: CaseIterable>(_ type: Word.Type = Word.self) throws -> Word {
        let place = try unsigned()
        guard let found = Word.allCases.enumerated().first(where: { UInt64(clamping: $0.offset) == place }) else {
            throw PackedError()
        }
        return found.element
    }

    fileprivate mutating func uuid() throws -> LowercaseUUID {
        guard let uuid = LowercaseUUID(try text()) else { throw PackedError() }
        return uuid
    }

    fileprivate mutating func facts() throws -> [String: FactValue] {
        Dictionary(try list { (try $0.text(), try $0.fact()) }) { first, _ in first }
    }

    private mutating func fact() throws -> FactValue {
        switch try byte() {
        case 0: .text(try text())
        case 1: .number(try double())
        case 2: .boolean(try flag())
        case 3: .money(Money(milliunits: try integer(), currency: try text()))
        case 4: .instant(try instant())
        default: throw PackedError()
        }
    }
}

extension DecisionRecord.SeenSlot {
    fileprivate init(reading reader: inout PackedReader) throws {
        id = try reader.uuid()
        signings = try reader.count()
        expiresAt = try reader.instant()
        countsUntil = try reader.instant()
        voidedAt = try reader.optional { try $0.instant() }
        isReleased = try reader.flag()
        settledAt = try reader.optional { try $0.instant() }
    }
}

extension KeptEvidence {
    fileprivate init(reading reader: inout PackedReader) throws {
        self.init(
            kind: try reader.value(), originalTransactionId: TransactionId(try reader.text()),
            subscriptionGroupIdentifier: SubscriptionGroupId(try reader.text()),
            productId: ProductId(try reader.text()),
            offerType: try reader.optional { TransactionOfferType(rawValue: try $0.count()) },
            offerIdentifier: try reader.optional { OfferIdentifier(try $0.text()) },
            offerPeriod: try reader.optional { try $0.text() }, at: try reader.instant(),
            expires: try reader.optional { try $0.instant() }, revoked: try reader.optional { try $0.instant() },
            isRenewal: try reader.flag(), isUpgraded: try reader.flag(), provenance: try reader.value())
        slotId = try reader.optional { try $0.uuid() }
    }
}

extension OfferCounters {
    fileprivate init(reading reader: inout PackedReader) throws {
        self.init(
            asOf: try reader.instant(), places: try reader.count(),
            spent: Dictionary(try reader.list { (try $0.text(), try $0.integer()) }) { first, _ in first },
            unmatched: Dictionary(try reader.list { (try $0.text(), try $0.count()) }) { first, _ in first },
            open: try reader.list { reader in
                OpenPlace(
                    id: try reader.uuid(), countsUntil: try reader.instant(),
                    cost: try reader.optional { try $0.integer() }, currency: try reader.optional { try $0.text() })
            },
            endings: try reader.list { reader in
                Ending(
                    unit: CounterUnit(name: try reader.text()), amount: try reader.integer(),
                    at: try reader.optional { try $0.instant() })
            })
    }
}

extension RuleAnswer {
    fileprivate init(reading reader: inout PackedReader) throws {
        self.init(
            rule: try reader.value(), verdict: try reader.value(), reason: try reader.value(),
            facts: try reader.list { try $0.text() })
    }
}
