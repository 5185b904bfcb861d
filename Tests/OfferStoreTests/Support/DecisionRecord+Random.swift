import OfferTestSupport

@testable import OfferModel
@testable import OfferStore

extension DecisionRecord {
    /// A record with random members, extremes included.
    ///
    /// - Parameter isFull: whether every member is there that may be absent; absent ones are drawn otherwise.
    static func random(_ generator: inout SeededGenerator, isFull: Bool) -> DecisionRecord {
        var source = RandomRecord(generator: generator, isFull: isFull)
        defer { generator = source.generator }
        return source.record()
    }
}

/// Makes the members of random records.
private struct RandomRecord {
    var generator: SeededGenerator
    let isFull: Bool

    mutating func record() -> DecisionRecord {
        var record = DecisionRecord.fixture()
        record.now = moment()
        record.order.originalTransactionId = maybe { TransactionId($0.text()) }
        record.order.appTransactionId = maybe { AppTransactionId($0.text()) }
        record.order.appAccountToken = maybe { $0.uuid() }
        record.order.customerId = maybe { CustomerId($0.text()) }
        record.order.formats = list { $0.one() }
        record.order.fresh = flag()
        record.catalogRevision = Int(number())
        record.pause = one()
        record.productId = ProductId(text())
        record.needsNewSigning = flag()
        record.formats = list { $0.one() }
        record.signals = named { .random(&$0.generator) }
        record.request = DeviceRequest(
            appVersion: maybe { $0.text() }, osVersion: maybe { $0.text() }, locale: maybe { $0.text() },
            placement: maybe { $0.text() })
        record.attributes = named { .random(&$0.generator) }
        record.firstStoredAt = maybe { $0.moment() }
        record.rolloutKey = maybe { $0.text() }
        record.openedAt = Dictionary(list { (OfferId($0.text()), $0.moment()) }) { $1 }
        record.customers = list { CustomerNumber(rawValue: $0.number()) }
        record.identifiers = SeenIdentifiers(
            originalTransactionIds: list { TransactionId($0.text()) },
            appTransactionIds: list { AppTransactionId($0.text()) })
        record.historySequence = number()
        record.issuedOffers = list { $0.issuedOffer() }
        record.keptEvidence = list { $0.kept() }
        record.counters = maybe { $0.counters() }
        record.accountUses = maybe { source in
            source.list { source in
                AccountUse(
                    takenAt: source.moment(), countsUntil: source.maybe { $0.moment() },
                    redeemedAt: source.maybe { $0.moment() }, issuedOfferId: source.maybe { $0.uuid() })
            }
        }
        record.coverage = Coverage(level: one(), asOf: maybe { $0.moment() }, provenance: maybe { $0.one() })
        record.findings = list { source in
            RuleAnswer(
                rule: source.one(), verdict: source.one(), reason: source.one(), facts: source.list { $0.text() })
        }
        record.grants = list { source in
            Grant(
                id: source.uuid(), offerId: OfferId(source.text()), grantedAt: source.moment(),
                expiresAt: source.maybe { $0.moment() }, revokedAt: source.maybe { $0.moment() },
                issuedOfferId: source.maybe { $0.uuid() })
        }
        return record
    }

    private mutating func issuedOffer() -> DecisionRecord.SeenIssuedOffer {
        DecisionRecord.SeenIssuedOffer(
            id: uuid(), signings: Int(number()), expiresAt: moment(), countsUntil: moment(),
            voidedAt: maybe { $0.moment() }, isReleased: flag(), settledAt: maybe { $0.moment() })
    }

    private mutating func kept() -> KeptEvidence {
        var kept = KeptEvidence(
            kind: one(), originalTransactionId: TransactionId(text()),
            subscriptionGroupIdentifier: SubscriptionGroupId(text()), productId: ProductId(text()),
            offerType: maybe { TransactionOfferType(rawValue: Int($0.number())) },
            offerIdentifier: maybe { OfferIdentifier($0.text()) }, offerPeriod: maybe { $0.text() }, at: moment(),
            expires: maybe { $0.moment() }, revoked: maybe { $0.moment() }, isRenewal: flag(), isUpgraded: flag(),
            provenance: one())
        kept.issuedOfferId = maybe { $0.uuid() }
        return kept
    }

    private mutating func counters() -> OfferCounters {
        OfferCounters(
            asOf: moment(), places: Int(number()), spent: named { $0.number() },
            unmatched: Dictionary(list { (ProductId($0.text()), Int($0.number())) }) { $1 },
            open: list { source in
                OfferCounters.OpenPlace(
                    id: source.uuid(), countsUntil: source.moment(), cost: source.maybe { $0.number() },
                    currency: source.maybe { $0.text() })
            },
            endings: list { source in
                OfferCounters.Ending(
                    unit: source.flag() ? .places : .money("USD"), amount: source.number(),
                    at: source.maybe { $0.moment() })
            })
    }

    private mutating func text() -> String { .random(&generator) }
    private mutating func number() -> Int64 {
        let bounds = InputBounds.storedIntegers
        let numbers = [bounds.lowerBound, -1, 0, 1, 63, 64, bounds.upperBound, .random(in: bounds, using: &generator)]
        return numbers.randomElement(using: &generator) ?? 0
    }
    private mutating func moment() -> Instant {
        Instant(milliseconds: .random(in: InputBounds.storedIntegers, using: &generator))
    }
    private mutating func flag() -> Bool { .random(using: &generator) }
    private mutating func uuid() -> LowercaseUUID {
        LowercaseUUID(version4From: (0..<16).map { _ in .random(in: .min ... .max, using: &generator) })
    }

    private mutating func one<Word: CaseIterable>() -> Word where Word.AllCases == [Word] {
        Word.allCases[Int.random(in: Word.allCases.indices, using: &generator)]
    }

    private mutating func maybe<Value>(_ value: (inout RandomRecord) -> Value) -> Value? {
        isFull || flag() ? value(&self) : nil
    }

    private mutating func list<Element>(_ element: (inout RandomRecord) -> Element) -> [Element] {
        (0..<Int.random(in: (isFull ? 1 : 0)...2, using: &generator)).map { _ in element(&self) }
    }

    private mutating func named<Value>(_ value: (inout RandomRecord) -> Value) -> [String: Value] {
        Dictionary(list { ($0.text(), value(&$0)) }) { $1 }
    }
}
