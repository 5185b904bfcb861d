import OfferAPI
import OfferModel
import Testing

@testable import OfferctlCommands

@Suite("what a change of the catalog means for customers")
struct CatalogEffectTests {
    private func effect(_ path: String?, _ from: String?, _ to: String?, _ change: String = "changed") -> CatalogEffect
    {
        CatalogEffect(CatalogChange(offerId: OfferId("a"), change: change, path: path, from: from, to: to))
    }

    @Test(
        "widened (+), taken away (-), either (±) or neither (·), field by field",
        arguments: [
            ("status", "draft", "active", "·"), ("status", "archived", "active", "+"),
            ("status", "active", "archived", "-"), ("status", "active", "draft", "-"),
            ("status", "draft", "archived", "·"), ("status", "active", "retired", "±"),
            ("starts", "2026-12-01T00:00:00.000Z", "2026-11-01T00:00:00.000Z", "+"),
            ("starts", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z", "-"),
            ("starts", "2026-12-01T00:00:00.000Z", nil, "+"), ("starts", nil, "2026-12-01T00:00:00.000Z", "-"),
            ("ends", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z", "+"),
            ("ends", "2026-12-01T00:00:00.000Z", "2026-11-01T00:00:00.000Z", "-"),
            ("ends", "2026-12-01T00:00:00.000Z", nil, "+"), ("ends", nil, "2026-12-01T00:00:00.000Z", "-"),
            ("ends", "soon", "later", "±"),
            ("limits", "1 per customer", "2 per customer", "+"), ("limits", "2 per customer", "1 per customer", "-"),
            ("limits", "1 per customer", "", "+"), ("limits", "", "1 per customer", "-"),
            ("limits", "1 per customer; 100 in all", "1 per customer", "+"),
            ("limits", "1 per customer; 100 in all", "2 per customer; 50 in all", "±"),
            ("limits", "1 per customer", "1 per customer in P90D", "±"),
            ("limits", "1 per customer; 5 in all", "5 in all; 1 per customer", "·"),
            ("limits", "2 per customer; 1 per customer", "1 per customer", "·"),
            ("limits", "25000.00 USD in all", "30000.00 USD in all", "+"), ("limits", "some", "more", "±"),
            ("products", "a, b", "a, b, c", "+"), ("products", "a, b", "a", "-"), ("products", "a, b", "a, c", "±"),
            ("products", "a, b", "b, a", "·"), ("environments", "Sandbox", "Production, Sandbox", "+"),
            ("formats", "v2, v1", "v2", "-"), ("formats", "v2", "v1, v2", "·"),
            ("signaturesPerOffer", "3", "5", "+"), ("signaturesPerOffer", "3", "1", "-"),
            ("signaturesPerOffer", "3", "many", "±"),
            ("eligibility.all[1]", "signals.x atLeast 50", "signals.x atLeast 10", "±"),
            ("eligibility", "subscription.state in expired", nil, "±"),
            ("price", "4.99 USD", "3.99 USD", "·"), ("priority", "1", "2", "·"), ("tags", "a", "b", "·"),
            ("offerIdentifier", "a", "b", "±"), ("type", "promotional", "winBack", "±"),
            ("aFieldOfTheFuture", "1", "2", "±"),
        ] as [(String, String?, String?, String)])
    func mark(_ path: String, _ from: String?, _ to: String?, _ mark: String) {
        let effect = effect(path, from, to)
        #expect(effect.mark == mark, "\(effect.words)")
        #expect(effect.needsConfirmation == (mark != "·"))
        #expect(!effect.words.isEmpty)
    }

    @Test("a new offer is none of both, one that goes is taken away, and the products only compare")
    func wholeOffers() {
        #expect(effect(nil, nil, nil, "added").mark == "·")
        #expect(effect(nil, nil, nil, "removed").mark == "-")
        #expect(effect(nil, nil, nil, "transmuted").mark == "±")
        let path = "subscriptionGroups[1].products[a].price"
        let product = CatalogChange(offerId: nil, change: "changed", path: path, from: "9.99 USD", to: "8.99 USD")
        #expect(CatalogEffect(product).mark == "·")
    }
}
