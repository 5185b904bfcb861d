public import OfferModel

extension DecisionRecord: PackedRecord {
    /// - Throws: ``StoreError/corrupt(_:)`` for a number beyond what is stored.
    public func packed() throws -> [UInt8] {
        var moving: [Range<Int>] = []
        return try packed(noting: &moving)
    }

    /// The record as it is stored, with the places of what moves by itself without changing the decision: the instant,
    /// the newest row, the counters that everyone shares, and until when the history is complete.
    public func packed(noting moving: inout [Range<Int>]) throws -> [UInt8] {
        var writer = PackedWriter(capacity: 512)
        writer.append(byte: PackedForm.version)
        try writer.append(self)
        moving = writer.moving
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
        self = .blank
        try bytes.withUnsafeBytes { try PackedReader.read($0) { try code(with: &$0) } }
    }

    public mutating func code(with coder: inout some RecordCoder) throws {
        try coder.field(moving: &now)
        try coder.field(&order.originalTransactionId)
        try coder.field(&order.appTransactionId)
        try coder.field(&order.appAccountToken)
        try coder.field(&order.customerId)
        try coder.field(&order.formats)
        try coder.field(&order.fresh)
        try coder.field(&catalogRevision)
        try coder.field(&pause)
        try coder.field(&pausedUntil)
        try coder.field(&productId)
        try coder.field(&needsNewSigning)
        try coder.field(&formats)
        try coder.field(&signals)
        try coder.field(&request.appVersion)
        try coder.field(&request.osVersion)
        try coder.field(&request.locale)
        try coder.field(&request.placement)
        try coder.field(&attributes)
        try coder.field(&firstStoredAt)
        try coder.field(&rolloutKey)
        try coder.field(&openedAt)
        try coder.field(&customers)
        try coder.field(&identifiers.originalTransactionIds)
        try coder.field(&identifiers.appTransactionIds)
        try coder.field(moving: &historySequence)
        try coder.field(&issuedOffers)
        try coder.field(&keptEvidence)
        try coder.field(moving: &counters)
        try coder.field(&coverage.level)
        try coder.field(moving: &coverage.asOf)
        try coder.field(&coverage.provenance)
        try coder.field(&findings)
        try coder.field(&accountUses)
        try coder.field(&grants)
    }
}

extension DecisionRecord.SeenIssuedOffer: PackedRecord {
    public static var blank: Self {
        Self(
            id: .blank, signings: 0, expiresAt: .distantPast, countsUntil: .distantPast, voidedAt: nil,
            isReleased: false, settledAt: nil)
    }

    public mutating func code(with coder: inout some RecordCoder) throws {
        try coder.field(&id)
        try coder.field(&signings)
        try coder.field(&expiresAt)
        try coder.field(&countsUntil)
        try coder.field(&voidedAt)
        try coder.field(&isReleased)
        try coder.field(&settledAt)
    }
}

extension KeptEvidence: PackedRecord {
    public mutating func code(with coder: inout some RecordCoder) throws {
        try coder.field(&kind)
        try coder.field(&originalTransactionId)
        try coder.field(&subscriptionGroupIdentifier)
        try coder.field(&productId)
        try coder.field(&offerType)
        try coder.field(&offerIdentifier)
        try coder.field(&offerPeriod)
        try coder.field(&at)
        try coder.field(&expires)
        try coder.field(&revoked)
        try coder.field(&isRenewal)
        try coder.field(&isUpgraded)
        try coder.field(&provenance)
        try coder.field(&issuedOfferId)
    }
}

extension Grant: PackedRecord {
    public static var blank: Grant { Grant(id: .blank, offerId: "", grantedAt: .distantPast) }

    public mutating func code(with coder: inout some RecordCoder) throws {
        try coder.field(&id)
        try coder.field(&offerId)
        try coder.field(&grantedAt)
        try coder.field(&expiresAt)
        try coder.field(&revokedAt)
        try coder.field(&issuedOfferId)
    }
}

extension AccountUse: PackedRecord {
    public mutating func code(with coder: inout some RecordCoder) throws {
        try coder.field(&takenAt)
        try coder.field(&countsUntil)
        try coder.field(&redeemedAt)
        try coder.field(&issuedOfferId)
    }
}

extension OfferCounters: PackedRecord {
    public static var blank: OfferCounters { OfferCounters(asOf: .distantPast) }

    public mutating func code(with coder: inout some RecordCoder) throws {
        try coder.field(&asOf)
        try coder.field(&places)
        try coder.field(&spent)
        try coder.field(&unmatched)
        try coder.field(&open)
        try coder.field(&endings)
    }
}

extension OfferCounters.OpenPlace: PackedRecord {
    public mutating func code(with coder: inout some RecordCoder) throws {
        try coder.field(&id)
        try coder.field(&countsUntil)
        try coder.field(&cost)
        try coder.field(&currency)
    }
}

extension OfferCounters.Ending: PackedRecord {
    public static var blank: Self { Self(unit: .places, amount: 0, at: nil) }

    public mutating func code(with coder: inout some RecordCoder) throws {
        var unit = unit.name
        try coder.field(&unit)
        self.unit = CounterUnit(name: unit)
        try coder.field(&amount)
        try coder.field(&at)
    }
}

extension RuleAnswer: PackedRecord {
    public mutating func code(with coder: inout some RecordCoder) throws {
        try coder.field(&rule)
        try coder.field(&verdict)
        try coder.field(&reason)
        try coder.field(&facts)
    }
}
