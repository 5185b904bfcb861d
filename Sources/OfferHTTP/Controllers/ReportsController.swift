import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

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
