import CommandLineSupport
import OfferAPI
import Testing

@testable import OfferctlCommands

@Suite("text of customers show and catalog apply")
struct CustomerTextTests {
    @Test("a customer's story reads as its golden file", arguments: ["lapsed", "trial", "two-unknown"])
    func story(_ name: String) throws {
        let body = try Fixture.body("customers/\(name).json", as: CustomerDetails.self)
        let text = CustomerText(palette: .plain, now: DecisionTextTests.now).story(body)
        #expect(try text + "\n" == Fixture.text("customers/\(name).txt"))
    }

    @Test(
        "an applied catalog reads as its golden file",
        arguments: ["applied", "unchanged"])
    func applied(_ name: String) throws {
        let body = try Fixture.body("catalog/\(name).json", as: CatalogApplied.self)
        let text = CatalogText.applied(body, after: 4, palette: .plain)
        #expect(try text + "\n" == Fixture.text("catalog/\(name).txt"))
    }
}
