import Foundation
import OfferApplication
import OfferModel
import OfferStore
import OpenSSLCrypto
import Testing

@testable import OfferConsole

@Suite("The operators' page")
struct OperationsTests {
    private static let path = "/console/operations"
    private static let day = Instant.Duration.day

    static func webhook(
        named name: String, environment: AppStoreEnvironment? = nil, events: Set<EventType> = Set(EventType.allCases)
    ) -> Webhook {
        Webhook(
            name: name, url: "https://hooks.example/\(name.utf8.count)", secrets: [], events: events,
            environment: environment, perSecond: 50, digest: OpenSSLDigest())
    }

    /// A moment as the page shows it.
    private static func shown(_ instant: Instant?) throws -> String {
        let instant = try #require(instant)
        return #"<time datetime="\#(instant)">\#(TimeText.absolute(instant))</time>"#
    }

    @Test("the page shows the state that `/metrics` shows, with the age of each moment")
    func state() async throws {
        let start = ConsoleFixture.start
        let own: @Sendable (inout ServerState) -> Void = { state in
            state.lastReload = ServerState.Reload(
                at: start, failure: .init("`listen` is no address", hint: "as `127.0.0.1:80`"))
            state.warnings = [.init("others may use the file (mode 644)", hint: "`chmod 600` the file")]
            state.witnessWorks = false
            (state.freeSpace, state.diskFullAt) = (3 << 30, start.adding(milliseconds: 5 * Self.day))
            state.certificateExpiresAt = start.adding(milliseconds: 9 * Self.day)
            state.authoritiesExpireAt = start.adding(milliseconds: 40 * Self.day)
            state.retention.refusals = nil
        }
        try await ConsoleFixture.run(own: own) { console in
            try await console.applyCatalog()
            try await console.database.write { transaction in
                try MaintenanceStore(transaction).note(.backup, at: start.adding(milliseconds: -3 * Self.day))
            }
            let session = try await console.signIn(.admin)
            let page = try await console.get(Self.path, session)
            #expect(page.status == 200, "\(page.text)")
            #expect(page.body.count < 100_000)
            let state = await console.useCases.states.read(adding: own)
            #expect(state.notReady == nil)
            let words: [(String, String)] = [
                ("Last backup", "\(try Self.shown(state.overview?.backedUpAt))"),
                ("Last proof of the ledger", "never</dd>"), ("Witness", "cannot be written</dd>"),
                ("Last recorded", try Self.shown(state.clock?.recordedAt)),
                (
                    "Newest date signed by Apple itself",
                    "none yet <span class=\"quiet\">(what a local App Store signs does not count)"
                ),
                ("Last reload", try Self.shown(state.lastReload?.at)), ("Disk", "3 GiB left; full "),
                ("TLS certificate ends", try Self.shown(state.certificateExpiresAt)),
                ("Client certificates’ authority ends", try Self.shown(state.authoritiesExpireAt)),
                ("signatures", "90 days</dd>"), ("refusals", "forever</dd>"), ("answers", "24 hours</dd>"),
            ]
            for (term, words) in words { #expect(page.text.contains("<dt>\(term)</dt><dd>\(words)"), "\(term)") }
            for age in ["(3 days ago)", "(in 5 days)", "(in 9 days)", "(in 40 days)"] {
                #expect(page.text.contains(age), "\(age)")
            }
            #expect(
                page.text.contains(
                    """
                    <div class="notice" role="alert">
                    <p><code>listen</code> is no address</p>
                    <p class="quiet">as <code>127.0.0.1:80</code></p>
                    """))
            #expect(page.text.contains(#"<span class="badge invalid">refused</span></dd>"#))
            #expect(
                page.text.contains(
                    #"others may use the file (mode 644) <span class="quiet"><code>chmod 600</code> the file</span>"#))
            for key in state.signingKeys {
                #expect(page.text.contains("<code>\(key.id.rawValue)</code> <span class=\"badge valid\">works</span>"))
            }
            #expect(!state.signingKeys.isEmpty)
            #expect(!page.text.contains("Election"), "a file has none")
        }
        try await ConsoleFixture.run(own: { ($0.hasFile, $0.isElected) = (false, false) }) { console in
            let page = try await console.get(Self.path, try await console.signIn(.admin))
            #expect(page.text.contains("<dt>Election</dt><dd>not elected</dd>"))
            #expect(!page.text.contains("Last backup"), "a server's backups are its own")
        }
    }

    @Test("a server that is not ready says why, as `/readyz` does, and how far its clock is behind Apple's date")
    func notReady() async throws {
        try await ConsoleFixture.run { console in
            let session = try await console.signIn(.admin)
            for seconds in [-7_200, 7_200] {
                let signed = ConsoleFixture.start.adding(milliseconds: Int64(seconds) * 1_000)
                try await console.database.write { try StoreClock($0).noteSigned(at: signed) }
                let page = try await console.get(Self.path, session)
                #expect(page.text.contains(try Self.shown(signed)))
                #expect(page.text.contains(seconds < 0 ? "(2 hours ago)" : "(in 2 hours)"))
                #expect(page.text.contains("behind by 7200 s") == (seconds > 0))
                let check = try await console.get("/readyz")
                #expect(check.status == (seconds < 0 ? 200 : 503))
                #expect(page.text.contains(seconds < 0 ? ">ready<" : ">not ready<"))
                guard seconds > 0 else { continue }
                let document = try JSONSerialization.jsonObject(with: Data(check.body)) as? [String: Any]
                for member in ["detail", "hint"] {
                    let words = try #require(document?[member] as? String)
                    #expect(page.hasBytes(PageText().escapeText(words)), "\(words)")
                }
            }
        }
    }

    @Test("the page is for admins alone, and shows API keys and webhooks of the session's scope alone")
    func scope() async throws {
        let other = Scope(bundleId: "com.example.other", environment: .sandbox)
        let webhooks = [
            Self.webhook(named: "own.example"), Self.webhook(named: "sandbox.example", environment: .sandbox),
        ]
        try await ConsoleFixture.run(webhooks: webhooks) { console in
            for role in [Role.support, .marketing] {
                let session = try await console.signIn(role)
                let home = try await console.get("/console", session)
                #expect(!home.text.contains(Self.path))
                let form = [("formToken", try #require(home.formToken)), ("event", "x")]
                for page in [
                    try await console.get(Self.path, session),
                    try await console.post("\(Self.path)/resend", form, session),
                    try await console.post("\(Self.path)/test", Array(form.prefix(1)), session),
                ] {
                    #expect(page.status == 403)
                    #expect(page.words.contains("this call needs the role `admin`"))
                    #expect(!page.text.contains("own.example"))
                }
            }
            let foreign = try await console.useCases.apiKeys.create(scope: other, role: .client, label: "not yours")
            let revoked = try await console.useCases.apiKeys.create(scope: ConsoleFixture.scope, role: .client)
            let isRevoked = try await console.useCases.apiKeys.revoke(revoked.id)
            #expect(isRevoked)
            let end = ConsoleFixture.start.adding(milliseconds: 30 * Self.day)
            let session = try await console.signIn(try await console.token(.admin, expiresAt: end))
            try await console.useCases.apiKeys.storeUses()
            let page = try await console.get(Self.path, session)
            let keys = try await console.useCases.apiKeys.list()
            #expect(keys.count == 5)
            for key in keys {
                #expect(page.text.contains("<code>\(key.id)</code> \(key.role.rawValue) ") == (key.scope != other))
            }
            #expect(!page.text.contains(foreign.id) && !page.text.contains("not yours"))
            #expect(page.text.contains(#"<span class="badge">revoked</span>"#))
            #expect(page.text.contains("expires \(try Self.shown(end))"))
            let used = try #require(keys.first { $0.expiresAt == end }?.lastUsedAt)
            #expect(page.text.contains("last used \(try Self.shown(used))"))
            #expect(page.text.contains("own.example") && !page.text.contains("sandbox.example"))
        }
    }

    @Test(
        "of a refused configuration, keys of a server with another app or environment learn that it was refused alone")
    func reload() async throws {
        let own: @Sendable (inout ServerState) -> Void = { state in
            state.lastReload = ServerState.Reload(
                at: ConsoleFixture.start, failure: .init("`/etc/other.p8` does not exist", hint: "create `other`"))
            guard var key = state.signingKeys.first else { return }
            key.scope = Scope(bundleId: key.scope.bundleId, environment: .sandbox)
            state.signingKeys.append(key)
        }
        try await ConsoleFixture.run(own: own) { console in
            let text = try await console.get(Self.path, try await console.signIn(.admin)).text
            #expect(!text.contains("other.p8") && !text.contains("<code>other</code>"))
            #expect(text.contains("<p>the new configuration was refused</p>"))
            #expect(text.contains(#"<p class="quiet">the log of <code>serve</code> says why</p>"#))
        }
    }

    @Test("one’s own key was used, before any use is stored; a database without a copy says how to make one")
    func ownKey() async throws {
        try await ConsoleFixture.run { console in
            let session = try await console.signIn(.admin)
            let text = try await console.get(Self.path, session).text
            let key = try #require(try await console.useCases.apiKeys.list().first)
            #expect(key.lastUsedAt == nil)
            #expect(text.contains("last used \(try Self.shown(key.createdAt)) "), "the hour began before its creation")
            #expect(text.contains("does not expire"))
            #expect(text.contains(#"<dt>Last backup</dt><dd><span class="badge undetermined">never</span>"#))
        }
    }

    @Test("a key that another one replaces has the words of `offerd api-keys list`")
    func replaced() async throws {
        try await ConsoleFixture.run { console in
            let old = try await console.useCases.apiKeys.create(scope: ConsoleFixture.scope, role: .client)
            let (_, end) = try await console.useCases.apiKeys.rotate(old.id, overlap: Period(days: 7))
            let text = try await console.get(Self.path, try await console.signIn(.admin)).text
            #expect(
                text.contains("<code>\(old.id)</code> client <span class=\"badge\">ends \(try Self.shown(end))</span>"))
        }
    }

    @Test("notifications say when Apple last delivered one, and that the newest had to be fetched")
    func notifications() async throws {
        try await ConsoleFixture.run { console in
            let session = try await console.signIn(.admin)
            #expect(try await console.get(Self.path, session).text.contains("<dt>Newest</dt><dd>none yet</dd>"))
            let start = ConsoleFixture.start
            let kept: [(NotificationType, NotificationSource, hours: Int64)] = [
                (.test, .delivered, 9), (.didRenew, .delivered, 5), (.refund, .fetched, 2),
            ]
            try await console.database.write { transaction in
                let scope = try #require(try ScopeStore(transaction).number(of: ConsoleFixture.scope))
                for (type, source, hours) in kept {
                    let at = start.adding(milliseconds: -hours * Instant.Duration.hour)
                    let notification = AppStoreNotification(
                        notificationType: type, notificationUUID: "n-\(hours)", signedDate: at)
                    try NotificationStore(transaction).insert(
                        StoredNotification(notification, source: source, outcome: .noHistory, at: at), about: nil,
                        payload: "a.b.c", in: scope)
                }
            }
            let text = try await console.get(Self.path, session).text
            let arrival = try await console.useCases.scopeStates.read(
                caller: Caller(apiKeyId: "k", scope: ConsoleFixture.scope, role: .admin)
            ).notifications
            #expect(
                text.contains("<code>REFUND</code>, fetched \(try Self.shown(arrival.newest?.receivedAt))"))
            #expect(
                text.contains(
                    "<dt>Last delivered by Apple</dt><dd>\(try Self.shown(arrival.newestDelivered?.receivedAt))"))
            #expect(
                text.contains("<dt>Last <code>TEST</code></dt><dd>\(try Self.shown(arrival.newestTest?.receivedAt))"))
            #expect(arrival.newestDelivered?.receivedAt == start.adding(milliseconds: -5 * Instant.Duration.hour))
            #expect(text.contains("Apple did not deliver the newest"))
        }
    }

    @Test("an event is sent again and a webhook is tried, with the API's words and refusals")
    func webhooks() async throws {
        try await ConsoleFixture.run(webhooks: [Self.webhook(named: "own.example")]) { console in
            try await console.applyCatalog()
            _ = try await console.issue("100")
            let token = try await console.token(.admin)
            let session = try await console.signIn(token)
            let page = try await console.get(Self.path, session)
            let form = ("formToken", try #require(page.formToken))
            #expect(page.text.contains("has taken no event yet"))
            #expect(page.text.contains("<h3>Not delivered</h3>\n<p>None.</p>"))
            #expect(
                page.text.contains(
                    #"<option value="">all</option>\#n<option value="own.example">own.example</option>\#n</select>"#))

            let events = try await console.ask("GET", "/v1/events", token: token)["items"] as? [[String: Any]]
            let id = try #require(events?.first?["id"] as? String)
            let resent = try await console.post("\(Self.path)/resend", [form, ("event", " \(id) ")], session)
            #expect(resent.status == 200)
            #expect(resent.text.contains("Webhooks that get the event again: 1"))
            #expect(resent.text.contains("waiting to be sent again: 1"))
            let type = try #require(events?.first?["type"] as? String)
            #expect(resent.text.contains("</time> \(type) <code data-copy>\(id)</code>"))
            #expect(resent.text.contains(#"<button name="event" value="\#(id)" aria-label="Send \#(id) again">"#))

            let unknown = "01980000-0000-8000-8000-000000000000"
            let wrong: [(String, Int)] = [
                ("", 400), (" ", 400), ("x", 404), (unknown, 404), ("'; DROP TABLE event", 404), ("é\u{7}", 400),
                (String(repeating: "1", count: 256), 400),
            ]
            for (event, status) in wrong {
                let answer = try await console.post("\(Self.path)/resend", [form, ("event", event)], session)
                #expect(answer.status == status, "\(event)")
            }
            for (name, status) in [("own.example", 200), ("", 200), ("own.exmaple", 409), ("sandbox", 409)] {
                let tried = try await console.post("\(Self.path)/test", [form, ("webhook", name)], session)
                #expect(tried.status == status, "\(name)")
                let words =
                    status == 200 ? "the receiver answered with status 500" : "no webhook of this app and environment"
                #expect(tried.text.contains(words), "\(tried.text)")
            }
            let extra = try await console.post("\(Self.path)/test", [form, ("name", "x")], session)
            #expect(extra.status == 400)
            let forged = try await console.post("\(Self.path)/test", [("webhook", "own.example")], session)
            #expect(forged.status == 403)
        }
    }
}
