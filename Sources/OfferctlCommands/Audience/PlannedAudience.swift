import CommandLineSupport
import OfferAPI
import OfferDocuments
import OfferModel
import OfferWords

/// For each offer that a file would change, how many customers gain it and how many lose it.
struct PlannedAudience {
    private var rows: [[String?]] = []
    /// Why offers after these were not counted, and how many.
    private var uncounted: (reason: String, offers: Int)?

    init(
        of changes: [CatalogChange], in file: CatalogFile, asking client: OfferdClient
    ) async throws {
        let offers = changes.compactMap(\.offerId).reduce(into: [OfferId]()) { if !$0.contains($1) { $0.append($1) } }
        let catalog = file.document?.value
        for offer in offers {
            var request = SimulationRequest()
            request.offerId = offer
            let isKept = catalog.map { $0.offer(offer) != nil } ?? true
            if isKept {
                request.catalog = String(decoding: file.bytes, as: UTF8.self)
                request.compareWith = .inForce
            }
            let result: SimulationResult?
            do {
                result = try await client.simulate(request).body.result
            } catch let refusal as ServerRefusal where refusal.status == 429 && !rows.isEmpty {
                uncounted = (refusal.problem.detail.printable, offers.count - rows.count)
                break
            }
            guard let result else { continue }
            // Who has an offer that is removed loses it.
            rows.append([
                offer.rawValue, isKept ? result.gains?.customers.words : "0",
                isKept ? result.losses?.customers.words : result.eligible.words, isKept ? result.eligible.words : "0",
            ])
        }
    }

    func text(_ palette: Palette) -> String {
        let table = TextTable(["OFFER", "GAIN", "LOSE", "ELIGIBLE THEN"], alignedRight: [1, 2, 3], rows: rows)
        guard !table.isEmpty else { return "no offer changes, so no customer gains or loses one" }
        let rest = uncounted.map { reason, offers in
            "\(offers.counted("more offer")) changed and \(offers == 1 ? "was" : "were") not counted: \(reason); "
                + "`offerctl simulate --offer ID --catalog FILE --compare` counts one"
        }
        return (table.lines(palette) + (rest.map { ["", $0] } ?? [])).joined(separator: "\n")
    }
}
