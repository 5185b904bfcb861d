import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `/v1/offers` and `/v1/reports`: the offers of the catalog in force, the kill switch over them, and reports on them.
struct OffersController: Sendable {
    let useCases: UseCases
    let limits: HTTPLimits

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

    /// `POST …/pause` of one offer, or of every offer: until it is lifted, unless a body names an end.
    func pause(ofAll: Bool = false) -> @Sendable (Request, CallerContext) async throws -> Response {
        { request, context in
            let offerId = ofAll ? nil : OfferId(try context.pathText("id"))
            try QueryParameters(request, known: []).finish()
            let body =
                request.announcesBody
                ? try await request.decode(PauseRequestBody.self, upTo: limits.bodyBytes, by: context)
                : PauseRequestBody()
            return try .json(
                try await useCases.switches.pause(
                    offerId, until: body.until, reason: body.reason, caller: context.caller))
        }
    }

    /// `POST …/resume` of one offer, or of every offer, which leaves those paused by themselves.
    func resume(ofAll: Bool = false) -> @Sendable (Request, CallerContext) async throws -> Response {
        { request, context in
            let offerId = ofAll ? nil : OfferId(try context.pathText("id"))
            try QueryParameters(request, known: []).finish()
            return try .json(try await useCases.switches.resume(offerId, caller: context.caller))
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

    /// `GET /v1/reports/series`.
    @Sendable func series(_ request: Request, _ context: CallerContext) async throws -> Response {
        var query = try QueryParameters(request, known: ["offer", "from", "to", "by", "timeZone", "products"])
        let offerId = query.text("offer").map { OfferId($0) }
        let (from, to) = (query.instant("from"), query.instant("to"))
        let unit = query.calendarUnit("by") ?? .day
        let timeZone = query.text("timeZone")
        let countsProducts = query.flag("products") ?? false
        try query.finish()
        guard let offerId else {
            throw RequestFault(
                path: "query.offer", .missingMember, "a series is of one offer",
                hint: "give its id as `offer`; `GET /v1/offers` lists them")
        }
        return try .json(
            try await useCases.series.series(
                of: offerId, by: unit, from: from, to: to, timeZone: timeZone, countsProducts: countsProducts,
                caller: context.caller))
    }
}

extension QueryParameters {
    fileprivate mutating func calendarUnit(_ name: String) -> CalendarUnit? {
        guard let text = text(name) else { return nil }
        let unit = CalendarUnit(rawValue: text)
        if unit == nil {
            refuse(
                name, "is not the length of a bucket",
                hint: "known: " + CalendarUnit.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "))
        }
        return unit
    }
}

extension PauseRequestBody: CheckedRequest {
    func check(_ checks: inout RequestChecks, by role: Role) {
        checks.text(reason, at: .root.appending("reason"), maximum: RequestRules.reasonLength)
        checks.instant(until, at: .root.appending("until"))
    }
}
