import OfferModel
import OfferTestSupport
import Testing

@Suite("whether an offer kept a customer")
struct SaveOutcomeTests {
    private static let start = Instant(milliseconds: 1_767_225_600_000)
    private static let running = start.adding(milliseconds: 10 * Instant.Duration.day)
    private static let over = start.adding(milliseconds: 40 * Instant.Duration.day)

    /// A subscription of January whose renewal info was signed on the tenth; without, if nothing is said of renewal.
    private func own(renews: Bool?, at instant: Instant, owned: Bool = true) -> OwnSubscription {
        let bought = Transaction.fixture("1", purchased: Self.start) {
            $0.inAppOwnershipType = owned ? .purchased : .familyShared
        }
        var history = History(
            transactions: [Recorded(payload: bought, payloadBytes: [], provenance: .client, sequence: 1)])
        if let renews {
            let info = RenewalInfo.fixture("1", signed: Self.running) { $0.autoRenewStatus = renews ? .on : .off }
            history.renewalInfos = [Recorded(payload: info, payloadBytes: [], provenance: .client, sequence: 2)]
        }
        return OwnSubscription(history, of: "21500001", at: instant)
    }

    @Test("access and renewal are the customer's own, and unknown where the data leaves them open")
    func ownSubscription() {
        #expect(own(renews: true, at: Self.running).isRenewing == true)
        #expect(own(renews: false, at: Self.running).isRenewing == false)
        #expect(own(renews: false, at: Self.running).isCancelled)
        #expect(own(renews: nil, at: Self.running).isRenewing == nil)
        #expect(!own(renews: nil, at: Self.running).isCancelled)
        #expect(own(renews: true, at: Self.over).isRenewing == nil, "the renewal is due")
        #expect(own(renews: false, at: Self.over).isRenewing == false)
        #expect(!own(renews: false, at: Self.over).isCancelled, "what ended is no running subscription")
        #expect(own(renews: true, at: Self.running, owned: false).isRenewing == false)
    }

    @Test("only who had cancelled is at risk; judged is who renews when the days have passed")
    func outcomes() {
        let cancelled = own(renews: false, at: Self.running)
        let renewing = own(renews: true, at: Self.running)
        #expect(SaveOutcome(atIssue: renewing, afterwards: renewing) == .notAtRisk)
        #expect(SaveOutcome(atIssue: own(renews: nil, at: Self.running), afterwards: renewing) == .notAtRisk)
        #expect(SaveOutcome(atIssue: own(renews: false, at: Self.over), afterwards: renewing) == .notAtRisk)
        #expect(SaveOutcome(atIssue: cancelled, afterwards: nil) == .pending)
        #expect(SaveOutcome(atIssue: cancelled, afterwards: renewing) == .saved)
        #expect(SaveOutcome(atIssue: cancelled, afterwards: cancelled) == .lost)
        #expect(SaveOutcome(atIssue: cancelled, afterwards: own(renews: false, at: Self.over)) == .lost)
        #expect(SaveOutcome(atIssue: cancelled, afterwards: own(renews: true, at: Self.over)) == .undetermined)
    }
}
