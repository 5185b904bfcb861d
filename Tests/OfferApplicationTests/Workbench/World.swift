import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

/// A shop and its one customer, to whom something happens now and then.
struct World {
    let bench: Workbench
    var issued: [LowercaseUUID] = []
    var paused: Set<OfferId?> = []
    var revision = 1
    var purchases = 0

    /// Signed data whose every signature is of this moment, so that nothing arrives later than it was signed.
    static func delivery(_ scene: Scene, _ bench: Workbench, complete: Bool = true) throws -> SignedDelivery {
        let now = bench.clock.now.milliseconds
        let made = try bench.shop.delivery(scene, "100", complete: complete)
        func fresh(_ jws: String) throws -> String { try bench.shop.edited(jws) { $0["signedDate"] = now } }
        return SignedDelivery(
            signedTransactions: try made.signedTransactions.map(fresh),
            signedRenewalInfo: try made.signedRenewalInfo.map(fresh), historyComplete: complete)
    }

    mutating func step(_ generator: inout SeededGenerator) async throws -> String {
        switch Int.random(in: 0..<12, using: &generator) {
        case 0, 1:
            let scene: Scene = [.subscriber, .lapsed, .trialUsed, .overdue].randomElement(using: &generator) ?? .lapsed
            let complete = Bool.random(using: &generator)
            try await bench.deliver(try Self.delivery(scene, bench, complete: complete))
            return "deliver \(scene) \(complete)"
        case 2, 3, 4:
            let offer: OfferId = ["comeback", "twice", "welcome", "back"].randomElement(using: &generator) ?? "twice"
            let fresh = Bool.random(using: &generator)
            // No catalog or no such offer in it is an error, not a refusal.
            if revision % 2 == 0, offer != "comeback" { return "nothing" }
            let answer = try await bench.ask(IssueRequest(offerId: offer, customer: named("100"), fresh: fresh))
            if let id = answer.issued?.offer.id { issued.append(id) }
            return "issue \(offer) fresh \(fresh): \(answer.issued != nil)"
        case 5:
            guard let id = issued.randomElement(using: &generator) else { return "nothing" }
            let release = Bool.random(using: &generator)
            _ = try await bench.useCases.voiding.void(
                id, reason: "test", release: release, caller: Workbench.caller(.support))
            return "void \(release)"
        case 6, 7:
            let offer: OfferId? = [nil, "comeback"].randomElement(using: &generator) ?? nil
            let isPaused = !paused.contains(offer)
            _ = try await bench.useCases.switches.set(offer, paused: isPaused, caller: Workbench.marketing)
            if isPaused { paused.insert(offer) } else { paused.remove(offer) }
            return "pause \(offer?.rawValue ?? "all") \(isPaused)"
        case 8:
            let text = revision % 2 == 1 ? TestCatalog.head + TestCatalog.comeback() : TestCatalog.yaml
            revision = try await bench.apply(text, expected: revision).revision
            return "apply \(revision)"
        case 9, 10:
            let delivery = try Self.delivery(.lapsed, bench)
            purchases += 1
            let refunded = Bool.random(using: &generator)
            let jws = try bench.shop.redemption(
                of: ["comeback50", "twice10"].randomElement(using: &generator) ?? "twice10", "\(100_900 + purchases)",
                like: try #require(delivery.signedTransactions.first), at: bench.clock.now,
                refundedAt: refunded ? bench.clock.now : nil)
            try await bench.deliver(SignedDelivery(signedTransactions: [jws]))
            return "redeem, refunded \(refunded)"
        default:
            return "nothing"
        }
    }
}
