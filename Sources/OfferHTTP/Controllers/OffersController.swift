import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `/v1/offers`: the offers of the catalog in force, and the kill switch over them.
struct OffersController: Sendable {
    let switches: OfferPauses

    /// Entries of a page unless `limit` says otherwise, and at most.
    private static let pageSize = (usual: 50, range: 1...200)

    /// `GET`: the offers in short, in the catalog's order.
    @Sendable func list(
        _ request: Request, _ context: CallerContext<MarketingOrSupportAccess>
    ) async throws -> Response {
        var query = try QueryParameters(request, known: ["limit", "cursor"])
        let limit = query.number("limit", in: Self.pageSize.range) ?? Self.pageSize.usual
        let place = query.cursor("cursor") { OfferPlace($0) }
        try query.finish()
        guard let page = try await switches.offers(from: place, limit: limit, caller: context.caller) else {
            query.refuseCursor("cursor")
            throw RequestFault(errors: query.errors)
        }
        return try .json(PageBody(items: page.items.map(OfferSummaryBody.init), next: page.next?.description))
    }

    /// `POST …/pause` of one offer.
    @Sendable func pause(_ request: Request, _ context: CallerContext<MarketingAccess>) async throws -> Response {
        try await set(request, context, OfferId(try context.pathText("id")), paused: true)
    }

    /// `POST …/resume` of one offer.
    @Sendable func resume(_ request: Request, _ context: CallerContext<MarketingAccess>) async throws -> Response {
        try await set(request, context, OfferId(try context.pathText("id")), paused: false)
    }

    /// `POST /v1/offers/pause`: every offer.
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
        return try .json(PauseBody(try await switches.set(offerId, paused: paused, caller: context.caller)))
    }
}

extension OfferSummaryBody {
    init(_ switched: PausableOffer) {
        let offer = switched.offer
        self.init(
            offerId: offer.id, type: offer.type, status: offer.status, starts: offer.starts, ends: offer.ends,
            priority: offer.priority, paused: switched.isPaused)
    }
}

extension PauseBody {
    init(_ state: PauseState) {
        self.init(
            offerId: state.offerId, paused: state.isPaused, changed: state.hasChanged,
            everyOfferPaused: state.isEveryOfferPaused)
    }
}
