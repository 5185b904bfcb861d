import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferDocuments
import OfferHTTP
import OfferModel
import OfferWords

/// The board of offers, one offer in words, and the kill switch over them.
extension ConsoleSite {
    private static let offersOnBoard = 25
    private static let barsOnBoard = 40
    /// What someone has to decide about comes first.
    private static let standings: [OfferStanding] = [.paused, .exhausted, .running, .scheduled, .draft, .ended]
    static let pauseFields = ["until", "reason"]

    /// `GET /console/offers`.
    @Sendable func offers(_ request: Request, _ visit: Visit) async throws -> Response {
        var query = try QueryParameters(request, known: ["cursor"])
        let place = query.cursor("cursor") { Int($0).flatMap { $0 > 0 ? $0 : nil } }
        try query.finish()
        var content = try await board(from: place ?? 0, visit)
        if visit.may(.pauseAll) {
            let offers = try await catalogInForce(visit).catalog?.offers ?? []
            content["pauseAll"] = ["active": offers.filter { $0.status == .active }.count]
            content.merge(Self.members(try await useCases.switches.present(nil, caller: visit.caller))) { $1 }
        }
        return try pages.page("offers", "Offers", content, visit)
    }

    /// `GET /console`: where each role begins.
    @Sendable func home(_ request: Request, _ visit: Visit) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        var content: [String: Any] = visit.may(.offers) ? try await board(visit) : [:]
        content["maySearch"] = visit.may(.customers)
        return try pages.page("home", "Console", content, visit)
    }

    /// - Parameter place: how many offers the pages before had.
    private func board(from place: Int = 0, _ visit: Visit) async throws -> [String: Any] {
        let all = try await offers(visit)
        guard place == 0 || place < all.count else {
            throw RequestFault(path: "query.cursor", .invalidValue, "the cursor is not of this list")
        }
        let ordered = Self.standings.flatMap { standing in all.filter { $0.standing == standing } }
        let page = ordered.dropFirst(place).prefix(Self.offersOnBoard)
        let drawn = page.filter { $0.standing != .ended && $0.standing != .draft }
        var content: [String: Any] = [
            "standings": Self.standings.compactMap { standing -> [String: Any]? in
                let offers = page.filter { $0.standing == standing }
                guard !offers.isEmpty else { return nil }
                let count = NumberWords.count(all.count { $0.standing == standing })
                return ["standing": standing.rawValue, "count": count, "offers": offers.map(Self.card)]
            },
            "charts": Picture.all(OfferCharts.budgets(Array(drawn), most: Self.barsOnBoard), id: "budgets"),
        ]
        if page.endIndex < all.count { content["nextPath"] = "\(Self.root)/offers?cursor=\(page.endIndex)" }
        if visit.may(.funnel) { content["overviewPath"] = Self.overviewPath }
        return content
    }

    private static func card(_ offer: OfferSummary) -> [String: Any] {
        var card: [String: Any] = [
            "id": offer.offerId.rawValue, "path": PageLink.offer(offer.offerId), "type": offer.type.rawValue,
        ]
        // The heading above has the word.
        let words = StandingText.words(offer)
        card["words"] = words == StandingText.word(offer) ? nil : words
        card["paused"] = StandingText.pause(offer)
        card["left"] = StandingText.left(offer)
        card["usedUp"] = StandingText.usedUpAt(offer).map(TimeText.day)
        return card
    }

    /// `GET /console/offers/{id}`.
    @Sendable func offer(_ request: Request, _ visit: Visit) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        let summary = try await summary(visit)
        let (_, catalog) = try await catalogInForce(visit)
        let path = PageLink.offer(summary.offerId)
        var content: [String: Any] = [
            "id": summary.offerId.rawValue, "path": path, "standing": StandingText.word(summary),
            "fields": PageMembers.ofFields(OfferWording.fields(summary, catalog)), "mayPause": visit.may(.pause),
            "mayCount": visit.may(.simulate), "conditionLength": ConditionText.longest,
        ]
        content.merge(Self.members(try await useCases.switches.present(summary.offerId, caller: visit.caller))) { $1 }
        content["isWithAll"] = try await useCases.switches.present(nil, caller: visit.caller).map { _ in true }
        // Not the results themselves: they read every row of the offer, and the button that pauses it cannot wait.
        if visit.may(.series) { content["resultsPath"] = "\(path)/results" }
        if visit.may(.apply), catalog?.offer(summary.offerId) != nil {
            content["changePath"] = "\(Self.root)/catalog?offer=\(PageLink.encoded(summary.offerId.rawValue))#entry"
        }
        return try pages.page("offer", summary.offerId.rawValue, content, visit)
    }

    /// The form of a pause, filled in with the one in force.
    private static func members(_ present: OfferPauseBody?) -> [String: Any] {
        guard let present else { return [:] }
        var (members, typed): ([String: Any], [String: String]) = (["isPaused": true], [:])
        (typed["until"], typed["reason"]) = (present.until.map(TimeText.day), present.reason)
        (members["typed"], members["ends"]) = (typed, present.until.map(PageMembers.moment))
        return members
    }

    /// `POST /console/offers/{id}/pause` of one offer, `POST /console/pause` of every offer, which has to be agreed to.
    func pause(ofAll: Bool = false) -> @Sendable (inout QueryParameters, Visit) async throws -> Response {
        { form, visit in
            let id = try ofAll ? nil : visit.offerId()
            var until = form.day("until")
            let reason = form.reason("reason") ?? ""
            let isAgreed = form.flag("agreed") ?? false
            try form.finish()
            guard !ofAll || isAgreed else {
                throw RequestFault(path: "query.agreed", .missingMember, "nothing was paused: tick the box to agree")
            }
            // The day that the form was filled in with means the moment of that day.
            let present = try await useCases.switches.present(id, caller: visit.caller)?.until
            if let present, TimeText.day(present) == form.typed("until") { until = present }
            _ = try await useCases.switches.pause(id, until: until, reason: reason, caller: visit.caller)
            return .redirect(to: id.map(PageLink.offer) ?? "\(Self.root)/offers")
        }
    }

    /// `POST /console/offers/{id}/resume`, `POST /console/resume`: that of single offers stays then.
    func resume(ofAll: Bool = false) -> @Sendable (inout QueryParameters, Visit) async throws -> Response {
        { form, visit in
            let id = try ofAll ? nil : visit.offerId()
            try form.finish()
            _ = try await useCases.switches.resume(id, caller: visit.caller)
            return .redirect(to: id.map(PageLink.offer) ?? "\(Self.root)/offers")
        }
    }

    /// The entry of the offer that the path names, in the list of the API.
    func summary(_ visit: Visit) async throws -> OfferSummary {
        let id = try visit.offerId()
        guard let found = try await offers(visit, until: { $0.offerId == id }).last, found.offerId == id else {
            throw RequestError.unknownOffer(id)
        }
        return found
    }

    /// The offers of the list up to one, or all.
    private func offers(
        _ visit: Visit, until isLast: (OfferSummary) -> Bool = { _ in false }
    ) async throws -> [OfferSummary] {
        var (offers, place): ([OfferSummary], OfferPlace?) = ([], nil)
        repeat {
            let page = try await useCases.switches.offers(from: place, limit: 200, caller: visit.caller)
            for offer in page?.items ?? [] {
                offers.append(offer)
                if isLast(offer) { return offers }
            }
            place = page?.next.flatMap { OfferPlace($0) }
        } while place != nil
        return offers
    }

    /// The catalog in force, as its text and, where this version can read it, as values.
    func catalogInForce(_ visit: Visit) async throws -> (document: CatalogDocument, catalog: Catalog?) {
        try await useCases.catalogs.inForce(caller: visit.caller)
    }

    /// A document as values; `nil` where this version cannot read it.
    func read(_ text: String) async throws -> Catalog? {
        try await useCases.shares.catalogs.run { try? CatalogReader.read(text).value }
    }

    /// An answer, or the refusal that takes its place on a page.
    func answered<Answer>(_ ask: () async throws -> Answer) async throws -> (Answer?, ProblemBody?) {
        do {
            return (try await ask(), nil)
        } catch {
            guard error is RequestError || error is RequestFault, let problem = Problem(error) else { throw error }
            return (nil, problem.document)
        }
    }
}

extension APICall {
    static let offers = APICall(.get, "/v1/offers")
    static let pause = APICall(.post, "/v1/offers/{id}/pause")
    static let resume = APICall(.post, "/v1/offers/{id}/resume")
    static let pauseAll = APICall(.post, "/v1/offers/pause")
    static let resumeAll = APICall(.post, "/v1/offers/resume")
    static let series = APICall(.get, "/v1/reports/series")
    static let funnel = APICall(.get, "/v1/reports/funnel")
    static let simulate = APICall(.post, "/v1/simulations")
    static let simulation = APICall(.get, "/v1/simulations/{id}")
    static let cancel = APICall(.delete, "/v1/simulations/{id}")
    static let catalog = APICall(.get, "/v1/catalog")
    static let apply = APICall(.put, "/v1/catalog")
    static let revisions = APICall(.get, "/v1/catalog/revisions")
    static let revision = APICall(.get, "/v1/catalog/revisions/{n}")
}

extension Visit {
    func offerId() throws -> OfferId {
        let id = OfferId(try context.pathText("id"))
        // Which the database could not be asked for.
        guard !id.rawValue.utf8.contains(0) else { throw RequestError.unknownOffer(id) }
        return id
    }
}

extension PageMembers {
    static func ofFields(_ fields: [(name: String, value: String)]) -> [[String: Any]] {
        fields.map { ["name": $0.name, "value": $0.value] }
    }
}

extension PageLink {
    static func offer(_ id: OfferId) -> String { "\(ConsoleSite.root)/offers/\(encoded(id.rawValue))" }
}
