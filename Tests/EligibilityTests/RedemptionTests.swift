import OfferModel
import OfferTestSupport
import Testing

@Suite("redemptions and the issued offers they use")
struct RedemptionTests {
    private let january = Instant(milliseconds: 1_767_225_600_000)

    private func row<Payload>(_ payload: Payload) -> Recorded<Payload> {
        Recorded(payload: payload, payloadBytes: [], provenance: .client, sequence: 1)
    }

    private func issuedOffer(_ digit: Int, issued: Instant) throws -> IssuedOffer {
        let expires = issued.adding(milliseconds: Instant.Duration.day)
        return IssuedOffer(
            id: try #require(LowercaseUUID("0000000\(digit)-0000-4000-8000-000000000000")), offerId: "comeback",
            offerIdentifier: "comeback50", offerType: .promotional, delivery: .signature,
            productId: "com.example.pro.monthly", subscriptionGroupIdentifier: "21500001", issuedAt: issued,
            expiresAt: expires, countsUntil: expires.adding(milliseconds: Instant.Duration.hour), signings: 1)
    }

    private func offered(_ id: TransactionId, _ original: TransactionId, _ purchased: Instant) -> Transaction {
        .fixture(id, original: original, purchased: purchased) {
            $0.offerType = .promotional
            $0.offerIdentifier = "comeback50"
            $0.offerPeriod = "P1M"
        }
    }

    private func pending(_ signed: Instant) -> RenewalInfo {
        .fixture("1", signed: signed) {
            $0.offerType = .promotional
            $0.offerIdentifier = "comeback50"
        }
    }

    private func day(_ number: Int64) -> Instant { january.adding(milliseconds: number * Instant.Duration.day) }

    @Test("a use belongs to the newest issued offer issued before its first evidence, which may be renewal info")
    func newestIssuedOfferBeforeEvidence() throws {
        let accepted = january.adding(milliseconds: 3 * Instant.Duration.day)
        let pending = RenewalInfo.fixture("1", signed: accepted) {
            $0.offerType = .promotional
            $0.offerIdentifier = "comeback50"
        }
        var facts = SubjectFacts(
            history: History(
                transactions: [row(.fixture("1", purchased: january))], renewalInfos: [row(pending)]))
        facts.issuedOffers = [
            try issuedOffer(1, issued: january),
            try issuedOffer(2, issued: accepted.adding(milliseconds: -1)),
            try issuedOffer(3, issued: accepted.adding(milliseconds: 1)),
        ]
        let waiting = facts.redemptions()
        #expect(waiting.map(\.issuedOfferId) == [facts.issuedOffers[1].id])
        #expect(waiting.map(\.transactionId) == [nil])

        // When the period begins, the same use keeps its issued offer.
        facts.history.transactions.append(row(offered("2", "1", january.adding(months: 1))))
        let running = facts.redemptions()
        #expect(running.map(\.issuedOfferId) == [facts.issuedOffers[1].id])
        #expect(running.map(\.transactionId) == ["2"])
        #expect(running.map(\.firstEvidence) == [accepted])
    }

    @Test("a use of another type, offer or group is no use of the issued offer")
    func otherUses() throws {
        let later = january.adding(milliseconds: 1_000)
        var code = offered("1", "1", later)
        code.offerType = .offerCode
        var other = offered("2", "2", later)
        other.offerIdentifier = "other"
        var elsewhere = offered("3", "3", later)
        elsewhere.subscriptionGroupIdentifier = "21500002"
        let facts = SubjectFacts(
            history: History(transactions: [row(code), row(other), row(elsewhere)]),
            issuedOffers: [try issuedOffer(1, issued: january)])
        #expect(facts.redemptions().count == 3)
        #expect(facts.redemptions().allSatisfy { $0.issuedOfferId == nil })
    }

    @Test("a recovered payment goes on with the run, a new purchase after a gap begins another")
    func gaps() {
        let second = january.adding(milliseconds: 40 * Instant.Duration.day)
        for (reason, count) in [(TransactionReason.renewal, 1), (.purchase, 2)] {
            var first = offered("1", "1", january)
            first.offerPeriod = "P3M"
            var next = offered("2", "1", second)
            next.offerPeriod = "P3M"
            next.transactionReason = reason
            let facts = SubjectFacts(history: History(transactions: [row(first), row(next)]))
            #expect(facts.redemptions().count == count, "\(reason.rawValue)")
        }
    }

    @Test("an upgrade between the promise of an offer and its first period makes no second use of it")
    func passedOver() {
        let history = History(
            transactions: [
                row(.fixture("1", purchased: january)), row(.fixture("2", original: "1", purchased: day(10))),
                row(offered("3", "1", day(31))),
            ],
            renewalInfos: [row(pending(day(3)))])
        #expect(SubjectFacts(history: history).redemptions().map(\.transactionId) == ["3"])
    }

    @Test("an offer that is promised again while its whole length is used up is a second use")
    func promisedAgain() {
        let history = History(
            transactions: [row(offered("1", "1", january))], renewalInfos: [row(pending(day(3)))])
        #expect(SubjectFacts(history: history).redemptions().map(\.transactionId) == ["1", nil])
    }

    @Test("of renewal infos that only an operator stated, the newest says whether an offer is pending")
    func statedPending() {
        let none = RenewalInfo.fixture("1", signed: day(4))
        let infos = [pending(day(3)), none].map {
            Recorded(payload: $0, payloadBytes: [], provenance: .operator, sequence: 1)
        }
        let history = History(transactions: [row(.fixture("1", purchased: january))], renewalInfos: infos)
        #expect(SubjectFacts(history: history).redemptions().isEmpty)
    }

    @Test("a use is late from the moment its issued offer stops counting", arguments: [Int64(-1), 0])
    func late(after milliseconds: Int64) throws {
        let issuedOffer = try issuedOffer(1, issued: january)
        let used = offered("1", "1", issuedOffer.countsUntil.adding(milliseconds: milliseconds))
        let facts = SubjectFacts(history: History(transactions: [row(used)]), issuedOffers: [issuedOffer])
        #expect(facts.redemptions().map(\.issuedOfferId) == [issuedOffer.id])
        #expect(facts.redemptions().map(\.isLate) == [milliseconds >= 0])
    }

    @Test("a purchase by the family's owner is none at full price of the customer's")
    func familyPurchase() throws {
        let issuedOffer = try issuedOffer(1, issued: january)
        for (ownership, bought) in [(InAppOwnershipType.purchased, 1), (.familyShared, 0)] {
            let purchase = Transaction.fixture("1", purchased: january.adding(milliseconds: 1)) {
                $0.transactionReason = .purchase
                $0.inAppOwnershipType = ownership
            }
            let facts = SubjectFacts(history: History(transactions: [row(purchase)]), issuedOffers: [issuedOffer])
            #expect(facts.fullPricePurchases(redemptions: []).count == bought)
        }
    }

    @Test("an issued offer is open, then expired, or redeemed or voided")
    func issuedOfferStates() throws {
        let open = try issuedOffer(1, issued: january)
        var voided = open
        voided.voidedAt = january
        let used = SubjectFacts(
            history: History(transactions: [row(offered("1", "1", january))]), issuedOffers: [open]
        ).redemptions()
        #expect(open.state(at: open.countsUntil.adding(milliseconds: -1), redemptions: []) == .open)
        #expect(open.state(at: open.countsUntil, redemptions: []) == .expired)
        #expect(open.state(at: january, redemptions: used) == .redeemed)
        #expect(voided.state(at: january, redemptions: []) == .voided)
        #expect(voided.state(at: january, redemptions: used) == .redeemed)
    }

    @Test("what becomes known later is not known as of an earlier instant, a stated completeness included")
    func asOf() throws {
        let known = january.adding(milliseconds: 10)
        var facts = SubjectFacts(
            history: History(
                transactions: [
                    row(.fixture("1", purchased: january, signed: january)),
                    row(.fixture("2", purchased: january, signed: known.adding(milliseconds: 1))),
                    row(.fixture("3", purchased: known.adding(milliseconds: 1), signed: january)),
                ],
                coverage: Coverage(level: .complete, asOf: known.adding(milliseconds: 1), provenance: .caller)))
        facts.issuedOffers = [
            try issuedOffer(1, issued: january), try issuedOffer(2, issued: known.adding(milliseconds: 1)),
        ]
        facts.issuedOffers[0].voidedAt = known.adding(milliseconds: 1)
        let earlier = facts.known(asOf: known)
        #expect(earlier.history.transactions.map(\.payload.transactionId) == ["1"])
        #expect(earlier.history.coverage == Coverage(level: .partial))
        #expect(earlier.issuedOffers.map(\.id) == [facts.issuedOffers[0].id])
        #expect(earlier.issuedOffers.first?.voidedAt == nil)
    }
}
