import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `/v1/reports`: what became of offers.
struct ReportsController: Sendable {
    let reports: FunnelReports

    /// `GET /v1/reports/funnel`.
    @Sendable func funnel(_ request: Request, _ context: CallerContext<MarketingAccess>) async throws -> Response {
        var query = try QueryParameters(request, known: ["offerId", "from", "to"])
        let wanted = FunnelRequest(
            offerId: query.text("offerId").map { OfferId($0) }, from: query.instant("from"), to: query.instant("to"))
        try query.finish()
        return try .json(FunnelReportBody(try await reports.funnel(wanted, caller: context.caller)))
    }
}
