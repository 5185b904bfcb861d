import Foundation
import OfferModel
import Testing

@testable import OfferConsole

/// Every figure on the pages of a random database is the one that the API gives the same key at the same moment. The pages
/// are read by ``PageReader`` and the answers as JSON: nothing here writes what it compares.
@Suite("Figures of pages and of the API")
struct FigureTests {
    private static let seeds: [UInt64] = [1, 2, 3]

    @Test("offers, results and audiences", arguments: seeds, [Role.support, .marketing, .admin])
    func offers(_ seed: UInt64, _ role: Role) async throws {
        try await ConsoleFixture.run { console in
            let shop = try await RandomShop(console, seed: seed)
            #expect(shop.issued.count >= 6 && shop.refusals.count >= 6, "there is something to compare")
            let figures = try await Figures(console, role, "seed \(seed), \(role)")
            try await figures.board()
            for offer in RandomShop.offers { try await figures.offer(offer) }
            for offer in RandomShop.offers.prefix(2) {
                for (by, zone) in [("day", ""), ("week", "Europe/Berlin"), ("month", "America/New_York")] {
                    try await figures.results(offer, by, zone, from: "2026-05-20", to: "2026-06-25")
                    try await figures.results(offer, by, zone, from: "", to: "", products: true)
                }
                try await figures.results(
                    offer, "month", "Europe/Berlin", from: "2026-01-01", to: "", products: true)
                try await figures.audience(offer)
            }
            try await figures.results("comeback", "day", "Asia/Kathmandu", from: "2026-06-10", to: "2026-06-11")
            // Clocks change within both.
            try await figures.results(
                "comeback", "day", "Europe/Berlin", from: "2026-03-28", to: "2026-03-31", products: true)
            try await figures.results(
                "comeback", "day", "Africa/Cairo", from: "2026-04-24", to: "2026-04-25", products: true)
            for (from, to) in [("", ""), ("2026-05-20", "2026-06-25")] {
                try await figures.overview(from: from, to: to)
            }
            try await figures.catalog(shop.revision)
        }
    }

    @Test("customers, issued offers, decisions and signatures", arguments: seeds, [Role.support, .admin])
    func customers(_ seed: UInt64, _ role: Role) async throws {
        try await ConsoleFixture.run { console in
            let shop = try await RandomShop(console, seed: seed)
            #expect(shop.issued.count >= 6 && shop.refusals.count >= 6, "there is something to compare")
            let figures = try await Figures(console, role, "seed \(seed), \(role)")
            for (kind, value) in shop.identifiers {
                for day in ["", "2026-03-01", "2026-08-01"] { try await figures.customer(kind, value, asOf: day) }
            }
            for id in shop.issued.suffix(6) { try await figures.issuedOffer(id) }
            for id in shop.refusals.suffix(6) { try await figures.decision(id) }
            try await figures.signature(shop.issued)
            if role == .admin { try await figures.operations() }
        }
    }
}
