import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferDocuments
import OfferHTTP
import OfferModel
import OfferWords

/// What came of an offer, and who would get it.
extension ConsoleSite {
    /// More would make a page too large.
    private static let mostBuckets = 62
    private static let mostCharts = 3
    private static let mostOffers = 200
    /// Seconds after which a page looks again whether a simulation is done.
    private static let lookAgain = 2

    /// `GET /console/offers/{id}/results`.
    @Sendable func results(_ request: Request, _ visit: Visit) async throws -> Response {
        var query = try QueryParameters(request, known: ["by", "timeZone", "from", "to", "products"])
        let (by, timeZone) = (query.field("by"), query.field("timeZone"))
        let unit: CalendarUnit? = by.map { CalendarUnit(rawValue: $0) } ?? .day
        if unit == nil { query.refuse("by", "is not the length of a bucket", hint: "day, week or month") }
        let (start, end) = (query.day("from"), query.day("to"))
        let countsProducts = query.flag("products") ?? false
        try query.finish()
        let (id, caller) = (try visit.offerId(), visit.caller)
        var content: [String: Any] = ["id": id.rawValue, "path": PageLink.offer(id)]
        content["units"] = CalendarUnit.allCases.map { ["name": $0.rawValue, "isChosen": $0 == unit] as [String: Any] }
        content["timeZone"] = timeZone
        content["from"] = start.map(TimeText.day)
        content["to"] = end.map(TimeText.day)
        content["countsProducts"] = countsProducts
        let reports = useCases.series
        let (series, seriesProblem) = try await answered {
            try await reports.series(
                of: id, by: unit ?? .day, from: try start.map { try reports.start(ofDay: $0, in: timeZone) },
                to: try end.map { try reports.start(ofDay: $0, in: timeZone) }, timeZone: timeZone,
                countsProducts: countsProducts, caller: caller)
        }
        content["problem"] = seriesProblem.map { PageMembers.of($0) }
        if let series { content.merge(Self.members(series)) { $1 } }
        if visit.may(.funnel), let series {
            let (report, problem) = try await answered {
                // Of the same days, whose first the series chooses where none was asked for.
                try await useCases.reports.funnel(of: id, from: series.from, to: series.to, caller: caller)
            }
            content["funnelProblem"] = problem.map { PageMembers.of($0) }
            content["funnel"] = report.flatMap { report in report.offers.first.map { Self.members($0, of: report) } }
        }
        let status = seriesProblem.map { HTTPResponse.Status(code: $0.status) } ?? .ok
        return try pages.page("results", "Results of \(id.rawValue)", content, visit, status: status)
    }

    static let overviewPath = "\(root)/results"

    /// `GET /console/results`: every offer that customers first asked for in a range.
    @Sendable func overview(_ request: Request, _ visit: Visit) async throws -> Response {
        var query = try QueryParameters(request, known: ["from", "to"])
        let (start, end) = (query.day("from"), query.day("to"))
        try query.finish()
        let (report, problem) = try await answered {
            try await useCases.reports.funnel(from: start, to: end, caller: visit.caller)
        }
        let range = [("from", start), ("to", end)].map { "\($0)=\($1.map(TimeText.day) ?? "")" }.joined(separator: "&")
        let offers = (report?.offers ?? []).filter { $0.stages.evaluated > 0 }
            .sorted { ($1.stages.redeemed, $1.stages.issued) < ($0.stages.redeemed, $0.stages.issued) }
        var content: [String: Any] = ["path": Self.overviewPath]
        (content["from"], content["to"]) = (start.map(TimeText.day), end.map(TimeText.day))
        content["problem"] = problem.map { PageMembers.of($0) }
        content["report"] = report.map { report -> [String: Any] in
            [
                "range": "\(TimeText.absolute(report.from)) until \(TimeText.absolute(report.to))",
                "offers": offers.prefix(Self.mostOffers).map(Self.row(range)), "isEmpty": offers.isEmpty,
                "isCut": offers.count > Self.mostOffers, "mostOffers": Self.mostOffers,
            ]
        }
        let status = problem.map { HTTPResponse.Status(code: $0.status) } ?? .ok
        return try pages.page("overview", "Results of all offers", content, visit, status: status)
    }

    private static func row(_ range: String) -> (OfferFunnel) -> [String: Any] {
        { funnel in
            let spend = funnel.discountCost.map { NumberWords.money($0.redeemed, $0.currency) }
            return [
                "id": funnel.offerId.rawValue, "path": "\(PageLink.offer(funnel.offerId))/results?\(range)",
                "asked": NumberWords.count(funnel.stages.evaluated), "issued": NumberWords.count(funnel.stages.issued),
                "redeemed": NumberWords.count(funnel.stages.redeemed),
                "spend": spend.isEmpty ? "–" : spend.joined(separator: ", "),
            ]
        }
    }

    private static func members(_ series: OfferSeries) -> [String: Any] {
        guard series.buckets.count <= mostBuckets else { return ["isTooLong": true, "mostBuckets": mostBuckets] }
        let caption = "By \(series.by.rawValue) in \(series.timeZone)"
        return [
            "charts": Picture.all(Array(OfferCharts.series(series).prefix(mostCharts)), id: "series"),
            "tables": PageTable.all([
                (caption, SeriesWords.columns, SeriesWords.rows(series)),
                ("Refusals", ["rule", "refusals"], SeriesWords.refusals(series).map { [$0.rule, String($0.count)] }),
                ("Trials", SeriesWords.trialColumns, SeriesWords.trials(series)),
                ("Other periods", SeriesWords.churnColumns, SeriesWords.churn(series)),
            ]), "notes": SeriesWords.notes(series),
        ]
    }

    private static func members(_ funnel: OfferFunnel, of report: FunnelReport) -> [String: Any] {
        func counted(_ counts: [FunnelWords.Count]) -> [[String?]] {
            counts.filter { $0.value(funnel) > 0 }.map { [$0.name, String($0.value(funnel)), $0.meaning] }
        }
        let stages = FunnelWords.stages.map { stage -> [String?] in
            [stage.name, String(stage.value(funnel)), stage.meaning]
        }
        let isEmpty = funnel.stages.evaluated == 0
        return [
            "charts": Picture.all(OfferCharts.funnel(report), id: "funnel"),
            "tables": PageTable.all([
                ("Stages", ["stage", "customers", "who"], isEmpty ? [] : stages),
                ("Not issued", ["because", "customers", "who"], counted(FunnelWords.notIssued)),
                ("Redeemed", ["state", "customers", "who"], counted(FunnelWords.redemptions)),
                (
                    "Blocked by", ["rule", "fact", "verdict", "customers", "only by this"],
                    funnel.reasons.map { [$0.rule, $0.fact, $0.verdict, String($0.customers), String($0.alone)] }
                ),
                (
                    "Discount cost", ["currency", "issued", "redeemed", "of that refunded"],
                    FunnelWords.costs(funnel)
                ),
            ]),
            "notes": FunnelRateText.lift(funnel.holdoutLift) + FunnelRateText.saveRate(funnel.saveRate),
        ]
    }

    // MARK: Who would get it

    /// `POST /console/offers/{id}/audience`: begins to count.
    @Sendable func simulate(_ form: inout QueryParameters, _ visit: Visit) async throws -> Response {
        let condition = form.field("where", maximum: ConditionText.longest)
        try form.finish()
        let offer = try visit.offerId()
        var request = SimulationRequest()
        (request.offerId, request.where) = (offer, condition)
        let started = try await useCases.simulations.start(request, caller: visit.caller)
        return .redirect(to: PageLink.audience(offer, started.id))
    }

    /// `POST /console/catalog/audience`: the same by a text that was typed, compared with the catalog in force.
    @Sendable func simulatePlanned(_ form: inout QueryParameters, _ visit: Visit) async throws -> Response {
        let offer = OfferId(form.field("counted") ?? "")
        let draft = Self.draft(&form)
        return try await refusing(draft, visit) {
            let (inForce, _) = try await catalogInForce(visit)
            guard inForce.revision == draft.revision else {
                throw RequestError.catalogChanged(current: inForce.revision)
            }
            var request = SimulationRequest()
            (request.offerId, request.catalog, request.compareWith) = (offer, draft.text, .inForce)
            let started = try await useCases.simulations.start(request, caller: visit.caller)
            return .redirect(to: PageLink.audience(offer, started.id))
        }
    }

    /// `GET /console/offers/{id}/audience/{simulation}`: how far it is, and then the result.
    @Sendable func audience(_ request: Request, _ visit: Visit) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        let (offer, id) = (try visit.offerId(), try visit.simulationId())
        let body = try await useCases.simulations.show(id, of: offer, caller: visit.caller)
        var content: [String: Any] = [
            "id": offer.rawValue, "state": body.state.rawValue,
            "simulationPath": PageLink.audience(offer, id), "done": body.progress.done, "of": body.progress.of,
        ]
        content["failure"] = body.failure
        if body.state == .running {
            content["refresh"] = Self.lookAgain
            content["isWaiting"] = body.progress.of == 0
        } else if try await catalogInForce(visit).catalog?.offer(offer) != nil {
            // One of a text that was not applied has no page yet.
            content["path"] = PageLink.offer(offer)
        }
        content["isInTens"] = AudiencePrivacy(visit.caller.role).isLimited
        if let result = body.result { content["result"] = Self.members(result, of: offer.rawValue) }
        return try pages.page("audience", "Audience of \(offer.rawValue)", content, visit)
    }

    /// `POST /console/offers/{id}/audience/{simulation}/cancel`.
    @Sendable func cancel(_ form: inout QueryParameters, _ visit: Visit) async throws -> Response {
        try form.finish()
        let (offer, id) = (try visit.offerId(), try visit.simulationId())
        _ = try await useCases.simulations.cancel(id, caller: visit.caller)
        return .redirect(to: PageLink.audience(offer, id))
    }

    /// The customers that the condition left out because it could not be decided.
    private static func unknown(_ result: SimulationResult) -> [[String?]] {
        guard let number = result.undeterminedWhere, number != .exactly(0) else { return [] }
        return [["not counted: may or may not meet the condition", number.words]]
    }

    private static func members(_ result: SimulationResult, of offer: String) -> [String: Any] {
        [
            "headline": SimulationWords.headline(result, of: offer), "costs": SimulationWords.costs(result),
            "basis": SimulationWords.basis(result),
            "charts": Picture.all(
                result.customers.isTold ? OfferCharts.simulation(result, of: offer) : [], id: "audience"),
            "tables": PageTable.all([
                (
                    "Outcomes", ["outcome", "customers"],
                    SimulationWords.outcomes(result) + unknown(result)
                        + (result.comparedRevision == nil ? [] : SimulationWords.changes(result)).map {
                            [$0.words, $0.change.customers.words]
                        }
                ),
                (
                    "Who is left after each rule", ["after", "left", "rule"],
                    result.waterfall.map { [$0.step, $0.customers.words, $0.rule] }
                ),
                (
                    "Decided by", ["because", "fact", "verdict", "customers", "rule"],
                    result.byRule.map {
                        [RuleId(rawValue: $0.rule)?.requirement, $0.fact, $0.verdict, $0.count.words, $0.rule]
                    }
                ),
                (
                    "Undetermined because", ["reason", "customers"],
                    result.undeterminedBy.map { [$0.reason, $0.count.words] }
                ),
                ("Become eligible in the next 30 days", ["day in UTC", "customers"], SimulationWords.days(result)),
            ]),
        ]
    }
}

extension Visit {
    fileprivate func simulationId() throws -> LowercaseUUID {
        let text = try context.pathText("simulation")
        guard let id = LowercaseUUID(text) else { throw RequestError.unknownSimulation(text) }
        return id
    }
}

extension PageLink {
    static func audience(_ offer: OfferId, _ id: LowercaseUUID) -> String { "\(self.offer(offer))/audience/\(id)" }
}
