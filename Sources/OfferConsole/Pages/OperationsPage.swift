import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferHTTP
import OfferModel

/// The server as its operator sees it: the state that `/metrics` shows, and that of the session's app and environment.
extension ConsoleSite {
    static let operationsPath = "\(root)/operations"

    /// `GET /console/operations`.
    @Sendable func operations(_ request: Request, _ visit: Visit) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        return try await operations(visit)
    }

    /// `POST /console/operations/resend`.
    @Sendable func resend(_ form: inout QueryParameters, _ visit: Visit) async throws -> Response {
        let text = form.field("event") ?? ""
        if text.isEmpty {
            form.refuse(
                "event", "is not the ID of an event",
                hint: "choose one that was not delivered, or take the `id` that the receiver got")
        }
        try form.finish()
        guard let id = EventId(text) else { throw RequestError.unknownEvent(text) }
        return try await operations(
            visit, after: ["resent": try await useCases.events.resend(id, caller: visit.caller).webhooks])
    }

    /// `POST /console/operations/test`.
    @Sendable func tryWebhooks(_ form: inout QueryParameters, _ visit: Visit) async throws -> Response {
        let name = form.field("webhook")
        try form.finish()
        let trial = try await useCases.webhookTrials.send(to: name, caller: visit.caller)
        return try await operations(visit, after: PageMembers.of(trial))
    }

    /// The page, with what came of a form.
    private func operations(_ visit: Visit, after done: [String: Any] = [:]) async throws -> Response {
        var content = done
        let state = await state()
        content.merge(Self.members(of: state, scope: visit.caller.scope)) { $1 }
        content.merge(Self.members(of: try await useCases.scopeStates.read(caller: visit.caller), at: state.now)) { $1 }
        return try pages.page("operations", "Operations", content, visit)
    }

    private static func members(of state: ServerState, scope: Scope) -> [String: Any] {
        let now = state.now
        var members: [String: Any] = ["now": PageMembers.moment(now)]
        if let error = state.notReady {
            let problem = Problem(error) ?? Problem(.notReady, "the check failed", hint: "`offerd doctor` says more")
            members["notReady"] = PageMembers.of(problem.document)
        }
        if let clock = state.clock {
            members["recorded"] = clock.recordedAt.map { PageMembers.moment($0, asOf: now) }
            members["signed"] = clock.signedAt.map { PageMembers.moment($0, asOf: now) }
            // The moment that is compared with may have been recorded since.
            if clock.behind >= Instant.Duration.second {
                members["behind"] = "\(clock.behind / Instant.Duration.second) s"
            }
        }
        members["reload"] = state.lastReload.map { reload in
            var shown: [String: Any] = ["at": PageMembers.moment(reload.at, asOf: now)]
            // The files are another app's too.
            let isOwn = Set(state.signingKeys.map(\.scope)) == [scope]
            let told = ServerState.Fault("the new configuration was refused", hint: "the log of `serve` says why")
            shown["failure"] = reload.failure.map { Self.members(of: isOwn ? $0 : told) }
            return shown
        }
        members["warnings"] = state.warnings.map(members(of:))
        members["witness"] = state.witnessWorks.map { $0 ? "has every checkpoint" : "cannot be written" }
        if state.hasFile {
            members["hasFile"] = true
            members["backup"] = state.overview?.backedUpAt.map { PageMembers.moment($0, asOf: now) }
            members["free"] = state.freeSpace.map(ServerState.size)
            members["fullAt"] = state.diskFullAt.map { PageMembers.moment($0, asOf: now) }
        } else {
            members["election"] = state.isElected ? "elected" : "not elected"
        }
        members["proof"] = state.overview?.provenAt.map { PageMembers.moment($0, asOf: now) }
        members["certificate"] = state.certificateExpiresAt.map { PageMembers.moment($0, asOf: now) }
        members["authorities"] = state.authoritiesExpireAt.map { PageMembers.moment($0, asOf: now) }
        let terms = state.retention
        members["retention"] = [
            ("signatures", terms.signatures), ("refusals", terms.refusals), ("answers", terms.answers),
            ("notifications", terms.notifications),
        ].map { ["name": $0, "term": $1.map { TimeText.length($0.magnitude) } ?? "forever"] }
        members["signingKeys"] = state.signingKeys.filter { $0.scope == scope }.map { key in
            ["id": key.id.rawValue, "verdict": key.works ? "valid" : "invalid", "state": key.works ? "works" : "fails"]
        }
        members["pauses"] = (state.overview?.pauses ?? []).filter { $0.scope == scope }.map { pause in
            var shown: [String: Any] = ["since": PageMembers.moment(pause.since, asOf: now)]
            shown["offer"] = pause.offer?.rawValue ?? "every offer"
            shown["until"] = pause.until.map { PageMembers.moment($0, asOf: now) }
            return shown
        }
        return members
    }

    private static func members(of fault: ServerState.Fault) -> [String: Any] {
        var members = ["detail": fault.detail]
        members["hint"] = fault.hint
        return members
    }

    private static func members(of state: ScopeState, at now: Instant) -> [String: Any] {
        var members: [String: Any] = [:]
        let arrival = state.notifications
        members["newest"] = arrival.newest.map { newest in
            var shown: [String: Any] = ["type": newest.type.rawValue, "source": newest.source.rawValue]
            shown["at"] = PageMembers.moment(newest.receivedAt, asOf: now)
            return shown
        }
        members["delivered"] = arrival.newestDelivered.map { PageMembers.moment($0.receivedAt, asOf: now) }
        members["tested"] = arrival.newestTest.map { PageMembers.moment($0.receivedAt, asOf: now) }
        if arrival.newest?.source == .fetched { members["gap"] = true }
        members["webhooks"] = state.webhooks.map { webhook in
            var shown: [String: Any] = ["name": webhook.name]
            shown["succeeded"] = webhook.succeededAt.map { PageMembers.moment($0, asOf: now) }
            shown["failing"] = webhook.failingSince.map { PageMembers.moment($0, asOf: now) }
            shown["retry"] = webhook.retryAt.map { PageMembers.moment($0, asOf: now) }
            if webhook.waiting > 0 { shown["waiting"] = webhook.waiting }
            if webhook.waiting > 0 || webhook.failingSince != nil { shown["failure"] = webhook.failure }
            return shown
        }
        members["undelivered"] = state.undelivered.map { PageMembers.of($0) }
        // Those that can still be used first; the others explain refusals of today.
        let keys = state.apiKeys.filter(\.isUsable) + state.apiKeys.filter { !$0.isUsable }.suffix(Self.endedKeys)
        members["apiKeys"] = keys.map { key in
            var shown: [String: Any] = ["id": key.id, "role": key.role.rawValue, "state": key.state.text]
            shown["label"] = key.label
            shown["used"] = key.lastUsedAt.map { PageMembers.moment($0, asOf: now) }
            shown["expires"] = key.expiresAt.map { PageMembers.moment($0, asOf: now) }
            return shown
        }
        return members
    }

    private static let endedKeys = 20
}

extension PageMembers {
    /// A moment with how long ago it was.
    fileprivate static func moment(_ instant: Instant, asOf now: Instant) -> [String: Any] {
        moment(instant).merging(["age": TimeText.relative(instant, now: now)]) { $1 }
    }
}
