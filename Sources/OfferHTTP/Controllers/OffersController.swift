import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `/v1/offers`: the offers of the catalog in force, and the kill switch over them.
struct OffersController: Sendable {
    let switches: OfferSwitches

    /// `GET`: every offer in short, in the catalog's order; a catalog is one page.
    @Sendable func list(
        _ request: Request, _ context: CallerContext<MarketingOrSupportAccess>
    ) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        let offers = try await switches.offers(caller: context.caller)
        return try .json(PageBody(items: offers.map(OfferSummaryBody.init), next: nil))
    }

    /// `POST …/pause` of one offer.
    @Sendable func pause(_ request: Request, _ context: CallerContext<MarketingAccess>) async throws -> Response {
        try await set(request, context, OfferId(try context.parameters.require("id")), paused: true)
    }

    /// `POST …/resume` of one offer.
    @Sendable func resume(_ request: Request, _ context: CallerContext<MarketingAccess>) async throws -> Response {
        try await set(request, context, OfferId(try context.parameters.require("id")), paused: false)
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
    init(_ switched: SwitchedOffer) {
        let offer = switched.offer
        self.init(
            offerId: offer.id, type: offer.type, status: offer.status, starts: offer.starts, ends: offer.ends,
            priority: offer.priority, paused: switched.isPaused)
    }
}

extension PauseBody {
    init(_ state: SwitchState) {
        self.init(
            offerId: state.offerId, paused: state.isPaused, changed: state.hasChanged,
            everyOfferPaused: state.isEveryOfferPaused)
    }
}
