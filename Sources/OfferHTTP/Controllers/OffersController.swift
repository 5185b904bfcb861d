import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `/v1/offers` and `/v1/reports`: the offers of the catalog in force, the kill switch over them, and their funnel.
struct OffersController: Sendable {
    let useCases: UseCases

    /// `GET`: the offers in short, in the catalog's order.
    @Sendable func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        var query = try QueryParameters(request, known: ["limit", "cursor"])
        let limit = query.limit()
        let place = query.cursor("cursor") { OfferPlace($0) }
        try query.finish()
        guard let page = try await useCases.switches.offers(from: place, limit: limit, caller: context.caller) else {
            query.refuseCursor("cursor")
            throw RequestFault(errors: query.errors)
        }
        return try .json(page)
    }

    /// `POST …/pause` and `…/resume` of one offer, or of every offer; to resume every offer leaves those paused by
    /// themselves.
    func setting(paused: Bool, ofAll: Bool = false) -> @Sendable (Request, CallerContext) async throws -> Response {
        { request, context in
            let offerId = ofAll ? nil : OfferId(try context.pathText("id"))
            try QueryParameters(request, known: []).finish()
            return try .json(try await useCases.switches.set(offerId, paused: paused, caller: context.caller))
        }
    }

    /// `GET /v1/reports/funnel`.
    @Sendable func funnel(_ request: Request, _ context: CallerContext) async throws -> Response {
        var query = try QueryParameters(request, known: ["offerId", "from", "to"])
        let offerId = query.text("offerId").map { OfferId($0) }
        let (from, to) = (query.instant("from"), query.instant("to"))
        try query.finish()
        return try .json(try await useCases.reports.funnel(of: offerId, from: from, to: to, caller: context.caller))
    }
}
