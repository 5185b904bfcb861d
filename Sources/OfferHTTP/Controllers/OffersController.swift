import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `/v1/offers`: the offers of the catalog in force, and the kill switch over them.
struct OffersController: Sendable {
    let switches: OfferPauses

    /// `GET`: the offers in short, in the catalog's order.
    @Sendable func list(
        _ request: Request, _ context: CallerContext<MarketingOrSupportAccess>
    ) async throws -> Response {
        var query = try QueryParameters(request, known: ["limit", "cursor"])
        let limit = query.limit()
        let place = query.cursor("cursor") { OfferPlace($0) }
        try query.finish()
        guard let page = try await switches.offers(from: place, limit: limit, caller: context.caller) else {
            query.refuseCursor("cursor")
            throw RequestFault(errors: query.errors)
        }
        return try .json(page)
    }

    @Sendable func pause(_ request: Request, _ context: CallerContext<MarketingAccess>) async throws -> Response {
        try await set(request, context, OfferId(try context.pathText("id")), paused: true)
    }

    @Sendable func resume(_ request: Request, _ context: CallerContext<MarketingAccess>) async throws -> Response {
        try await set(request, context, OfferId(try context.pathText("id")), paused: false)
    }

    @Sendable func pauseAll(_ request: Request, _ context: CallerContext<MarketingAccess>) async throws -> Response {
        try await set(request, context, nil, paused: true)
    }

    /// `POST /v1/offers/resume`: every offer, but not those paused by themselves.
    @Sendable func resumeAll(_ request: Request, _ context: CallerContext<MarketingAccess>) async throws -> Response {
        try await set(request, context, nil, paused: false)
    }

    private func set(
        _ request: Request, _ context: CallerContext<MarketingAccess>, _ offerId: OfferId?, paused: Bool
    ) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        return try .json(try await switches.set(offerId, paused: paused, caller: context.caller))
    }
}

/// `/v1/reports`: the offer funnel.
struct ReportsController: Sendable {
    let reports: FunnelReports

    @Sendable func funnel(_ request: Request, _ context: CallerContext<MarketingAccess>) async throws -> Response {
        var query = try QueryParameters(request, known: ["offerId", "from", "to"])
        let offerId = query.text("offerId").map { OfferId($0) }
        let (from, to) = (query.instant("from"), query.instant("to"))
        try query.finish()
        return try .json(try await reports.funnel(of: offerId, from: from, to: to, caller: context.caller))
    }
}
