import OfferModel
import Testing

@Suite("Who may do what with offers and the catalog")
struct MarketingRoleTests {
    @Test("support sees offers, series and the catalog, without a form that changes them")
    func support() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            let session = try await console.signIn()
            for page in ["/console/offers", "/console/offers/comeback", "/console/catalog"] {
                let text = try await console.get(page, session).text
                #expect(text.contains("comeback"), "\(page)")
                #expect(!text.contains("pause\"") && !text.contains("resume\""), "\(page) has no form of marketing")
                #expect(!text.contains("<textarea") && !text.contains("/console/catalog/revisions/"))
            }
            let results = try await console.get("/console/offers/comeback/results", session)
            #expect(results.status == 200 && !results.text.contains("Customers by their first request"))
        }
    }

    @Test("the navigation has what the role may see")
    func navigation() async throws {
        try await ConsoleFixture.run { console in
            for (role, pages) in [
                (Role.marketing, ["offers", "catalog"]), (.support, ["customers", "signatures", "offers", "catalog"]),
            ] {
                let home = try await console.get("/console", try await console.signIn(role)).text
                for page in ["customers", "signatures", "offers", "catalog"] {
                    #expect(home.contains(#"<a href="/console/\#(page)">"#) == pages.contains(page), "\(role) \(page)")
                }
            }
        }
    }
}
