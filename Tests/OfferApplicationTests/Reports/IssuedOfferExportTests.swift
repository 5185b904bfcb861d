import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Exporting issued offers")
struct IssuedOfferExportTests {
    private func export(
        _ bench: Workbench, _ offerId: OfferId? = nil, from: Instant? = nil, to: Instant? = nil
    ) async throws -> [OfferId] {
        try await bench.useCases.export.page(
            offerId: offerId, from: from, to: to, limit: 10, after: nil, caller: Workbench.client
        ).items.map(\.offer.offerId)
    }

    @Test("an offer that nobody knows is not an empty export; one that was removed, or never issued yet, is known")
    func unknownOffer() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        _ = try await bench.granted(IssueRequest(offerId: "comeback", customer: named("100")))
        #expect(try await export(bench, "comeback") == ["comeback"])
        #expect(try await export(bench, "twice").isEmpty)
        try await bench.apply(TestCatalog.head.replacing("offers:", with: "offers: []"), expected: 1)
        #expect(try await export(bench, "comeback") == ["comeback"])
        for id in ["twice", "nope"] as [OfferId] {
            await #expect {
                try await export(bench, id)
            } throws: { error in
                if case RequestError.unknownOffer(id) = error { true } else { false }
            }
        }
        #expect(try await export(bench) == ["comeback"])
    }

    @Test("a range that ends before it begins, or at its beginning, is refused; the shortest has a millisecond")
    func emptyRange() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let issued = try await bench.granted(IssueRequest(offerId: "comeback", customer: named("100"))).offer.issuedAt
        for length in [0, -1] as [Int64] {
            await #expect {
                try await export(bench, from: issued, to: issued.adding(milliseconds: length))
            } throws: { error in
                if case RequestError.unusableParameter(name: "to", _, _) = error { true } else { false }
            }
        }
        #expect(try await export(bench, from: issued, to: issued.adding(milliseconds: 1)) == ["comeback"])
        #expect(try await export(bench, to: issued).isEmpty)
    }
}
