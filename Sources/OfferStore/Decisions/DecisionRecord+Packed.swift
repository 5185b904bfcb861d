public import OfferEligibility
public import OfferModel

// The packed form, version 1; version 2 has uses of the app account at its end. Members stand in a fixed order;
// dictionaries are sorted by their keys, so that equal records are equal bytes.
extension DecisionRecord {
    public func packed() -> [UInt8] {
        var moving: [Range<Int>] = []
        return packed(noting: &moving)
    }

    /// The record as it is stored, with the places of what moves by itself without changing the decision: the instant,
    /// the newest row, the counters that everyone shares, and until when the history is complete.
    public func packed(noting moving: inout [Range<Int>]) -> [UInt8] {
        var writer = PackedWriter(capacity: 512)
        func note(_ value: some Packable) {
            let start = writer.bytes.count
            writer.append(value)
            moving.append(start..<writer.bytes.count)
        }
        writer.append(byte: accountUses == nil ? 1 : 2)
        note(now)
        writer.append(
            order.originalTransactionId, order.appTransactionId, order.appAccountToken, order.customerId, order.formats,
            order.fresh, catalogRevision, pause, productId, needsNewSigning, formats)
        writer.append(facts: signals)
        writer.append(request.appVersion, request.osVersion, request.locale, request.placement)
        writer.append(facts: attributes)
        writer.append(
            firstStoredAt, rolloutKey, openedAt, customers, identifiers.originalTransactionIds,
            identifiers.appTransactionIds)
        note(historySequence)
        writer.append(issuedOffers, keptEvidence)
        note(counters)
        writer.append(coverage.level)
        note(coverage.asOf)
        writer.append(coverage.provenance, findings)
        if let accountUses { writer.append(accountUses) }
        return writer.bytes
    }

    /// - Throws: ``StoreError/corrupt(_:)`` if it is none.
    public init(stored bytes: [UInt8]) throws(StoreError) {
        do {
            try self.init(packed: bytes)
        } catch {
            throw StoreError.corrupt("the record of a decision cannot be read")
        }
    }

    /// - Throws: ``PackedError`` if it is no record.
    public init(packed bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBytes { bytes in
            var reader = PackedReader(bytes)
            let version = try reader.byte()
            guard version == 1 || version == 2 else { throw PackedError() }
            var record = try DecisionRecord(reading: &reader)
            if version == 2 { record.accountUses = try reader.next() as [AccountUse] }
            guard reader.isAtEnd else { throw PackedError() }
            return record
        }
    }

    private init(reading reader: inout PackedReader) throws {
        now = try reader.next()
        order = Order(
            originalTransactionId: try reader.next(), appTransactionId: try reader.next(),
            appAccountToken: try reader.next(), customerId: try reader.next(), formats: try reader.next(),
            fresh: try reader.next())
        catalogRevision = try reader.next()
        pause = try reader.next()
        productId = try reader.next()
        needsNewSigning = try reader.next()
        formats = try reader.next()
        signals = try reader.next()
        request = DeviceRequest(
            appVersion: try reader.next(), osVersion: try reader.next(), locale: try reader.next(),
            placement: try reader.next())
        attributes = try reader.next()
        firstStoredAt = try reader.next()
        rolloutKey = try reader.next()
        openedAt = try reader.next()
        customers = try reader.next()
        identifiers = SeenIdentifiers(
            originalTransactionIds: try reader.next(), appTransactionIds: try reader.next())
        historySequence = try reader.next()
        issuedOffers = try reader.next()
        keptEvidence = try reader.next()
        counters = try reader.next()
        coverage = Coverage(level: try reader.next(), asOf: try reader.next(), provenance: try reader.next())
        findings = try reader.next()
    }
}

extension PackedWriter {
    fileprivate mutating func append(facts: [String: FactValue]) {
        append(each: facts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            $0.append($1.key, $1.value)
        }
    }
}

extension Identifier: Packable {}
extension CustomerNumber: Packable {}
extension TransactionOfferType: Packable {}
extension Pause: Packable {}
extension SignatureFormat: Packable {}
extension Provenance: Packable {}
extension Coverage.Level: Packable {}
extension KeptEvidence.Kind: Packable {}
extension RuleId: Packable {}
extension Verdict: Packable {}
extension ReasonCode: Packable {}

extension FactValue: Packable {
    public func pack(into writer: inout PackedWriter) {
        func append(_ type: UInt8, _ value: some Packable) {
            writer.append(byte: type)
            writer.append(value)
        }
        switch self {
        case .text(let text): append(0, text)
        case .number(let number): append(1, number)
        case .boolean(let flag): append(2, flag)
        case .money(let money):
            append(3, money.milliunits)
            writer.append(money.currency)
        case .instant(let instant): append(4, instant)
        }
    }

    public init(unpacking reader: inout PackedReader) throws {
        self =
            switch try reader.byte() {
            case 0: .text(try reader.next())
            case 1: .number(try reader.next())
            case 2: .boolean(try reader.next())
            case 3: .money(Money(milliunits: try reader.next(), currency: try reader.next()))
            case 4: .instant(try reader.next())
            default: throw PackedError()
            }
    }
}

extension DecisionRecord.SeenIssuedOffer: Packable {
    public func pack(into writer: inout PackedWriter) {
        writer.append(id, signings, expiresAt, countsUntil, voidedAt, isReleased, settledAt)
    }

    public init(unpacking reader: inout PackedReader) throws {
        self.init(
            id: try reader.next(), signings: try reader.next(), expiresAt: try reader.next(),
            countsUntil: try reader.next(), voidedAt: try reader.next(), isReleased: try reader.next(),
            settledAt: try reader.next())
    }
}

extension KeptEvidence: Packable {
    public func pack(into writer: inout PackedWriter) {
        writer.append(
            kind, originalTransactionId, subscriptionGroupIdentifier, productId, offerType, offerIdentifier,
            offerPeriod,
            at, expires, revoked, isRenewal, isUpgraded, provenance, issuedOfferId)
    }

    public init(unpacking reader: inout PackedReader) throws {
        self.init(
            kind: try reader.next(), originalTransactionId: try reader.next(),
            subscriptionGroupIdentifier: try reader.next(), productId: try reader.next(), offerType: try reader.next(),
            offerIdentifier: try reader.next(), offerPeriod: try reader.next(), at: try reader.next(),
            expires: try reader.next(), revoked: try reader.next(), isRenewal: try reader.next(),
            isUpgraded: try reader.next(), provenance: try reader.next())
        issuedOfferId = try reader.next()
    }
}

extension AccountUse: Packable {
    public func pack(into writer: inout PackedWriter) { writer.append(takenAt, countsUntil, redeemedAt, issuedOfferId) }

    public init(unpacking reader: inout PackedReader) throws {
        self.init(
            takenAt: try reader.next(), countsUntil: try reader.next(), redeemedAt: try reader.next(),
            issuedOfferId: try reader.next())
    }
}

extension OfferCounters: Packable {
    public func pack(into writer: inout PackedWriter) {
        writer.append(asOf, places, spent, unmatched)
        writer.append(each: open) { $0.append($1.id, $1.countsUntil, $1.cost, $1.currency) }
        writer.append(each: endings) { $0.append($1.unit.name, $1.amount, $1.at) }
    }

    public init(unpacking reader: inout PackedReader) throws {
        self.init(
            asOf: try reader.next(), places: try reader.next(), spent: try reader.next(), unmatched: try reader.next(),
            open: try reader.list {
                OpenPlace(
                    id: try $0.next(), countsUntil: try $0.next(), cost: try $0.next(), currency: try $0.next())
            },
            endings: try reader.list {
                Ending(unit: CounterUnit(name: try $0.text()), amount: try $0.next(), at: try $0.next())
            })
    }
}

extension RuleAnswer: Packable {
    public func pack(into writer: inout PackedWriter) { writer.append(rule, verdict, reason, facts) }

    public init(unpacking reader: inout PackedReader) throws {
        self.init(
            rule: try reader.next(), verdict: try reader.next(), reason: try reader.next(), facts: try reader.next())
    }
}
