import OfferAPI
public import OfferModel
public import OfferSigning
import Synchronization

/// Says which account of the app a login provider's token proves (docs/http.md#customer-tokens).
public final class CustomerTokens: Sendable {
    public typealias Keys = [String: any CustomerTokenKey]
    /// Fetches the keys at a URL, and logs a failure.
    public typealias Fetch = @Sendable (_ url: String) async throws -> Keys

    /// A login provider that is trusted.
    public struct Provider: Sendable {
        public enum KeySource: Sendable {
            case known(Keys)
            case url(String)
        }

        var issuer: String
        var audience: String
        var keys: KeySource
        /// The only app whose customers it knows; `nil` for all apps without a provider of their own.
        var app: BundleId?

        public init(issuer: String, audience: String, keys: KeySource, app: BundleId? = nil) {
            (self.issuer, self.audience, self.keys, self.app) = (issuer, audience, keys, app)
        }
    }

    private struct State {
        var providers: [Provider] = []
        /// By URL.
        var fetched: [String: FetchedKeys] = [:]
    }

    private let state = Mutex(State())
    private let clock: @Sendable () -> Instant
    private let fetch: Fetch

    public init(
        _ providers: [Provider] = [], clock: @escaping @Sendable () -> Instant = { .distantPast },
        fetch: @escaping Fetch = { _ in [:] }
    ) {
        (self.clock, self.fetch) = (clock, fetch)
        replace(with: providers)
    }

    /// Replaces the providers. Keys that were fetched from a URL which stays are kept.
    public func replace(with providers: [Provider]) {
        let fetch = fetch
        state.withLock { state in
            var fetched: [String: FetchedKeys] = [:]
            for case .url(let url) in providers.map(\.keys) {
                fetched[url] = state.fetched[url] ?? FetchedKeys { try await fetch(url) }
            }
            state = State(providers: providers, fetched: fetched)
        }
    }

    /// Fetches keys that are not known or an hour old, and waits for them; to be called again and again.
    public func refresh() async {
        let now = clock()
        await withDiscardingTaskGroup { group in
            for keys in state.withLock({ Array($0.fetched.values) }) { group.addTask { await keys.refresh(at: now) } }
        }
    }

    /// The account that a token proves to a caller.
    ///
    /// - Throws: ``CustomerTokenRefusal``; `RequestFault` if the caller may send none; `notReady` without any key yet.
    package func account(_ text: String, of caller: Caller) async throws -> CustomerId {
        guard caller.role == .app else {
            throw Self.unexpected(
                "a key with the role `\(caller.role.rawValue)` sends no customer token",
                hint: "leave the header out, and name the customer by `customerId`")
        }
        let (provider, fetched) = state.withLock { state -> (Provider?, FetchedKeys?) in
            let app = caller.scope.bundleId
            let provider = state.providers.first { $0.app == app } ?? state.providers.first { $0.app == nil }
            guard case .url(let url) = provider?.keys else { return (provider, nil) }
            return (provider, state.fetched[url])
        }
        guard let provider else {
            throw Self.unexpected(
                "no login provider is configured for this app",
                hint: "leave the header out, or set `customerTokens` in offerd.yaml")
        }
        let now = clock()
        let token = try CustomerToken(parsing: text)
        let known: (any CustomerTokenKey)?
        switch provider.keys {
        case .known(let keys): known = keys[token.keyId]
        case .url: known = try await fetched?.key(token.keyId, at: now)
        }
        guard let key = known else {
            throw CustomerTokenRefusal("the login provider has no key of its `kid`", hint: "send a fresh token")
        }
        return try token.subject(signedBy: key, issuer: provider.issuer, audience: provider.audience, at: now)
    }

    private static func unexpected(_ detail: String, hint: String) -> RequestFault {
        RequestFault(path: "header.Customer-Token", .invalidHeader, detail, hint: hint)
    }
}

/// A provider's keys at a URL. Those that were fetched stay in use while the provider cannot be reached.
private actor FetchedKeys {
    /// How long requests go by the keys before they are fetched again.
    private static let life = Instant.Duration.hour
    /// The minimum between two attempts: anyone can send a token with an unknown `kid`.
    private static let rest = Instant.Duration.minute

    private let fetch: @Sendable () async throws -> CustomerTokens.Keys
    private var keys: CustomerTokens.Keys?
    private var attempt: (at: Instant, task: Task<Void, Never>)?
    private var hasFailed = false

    init(fetch: @escaping @Sendable () async throws -> CustomerTokens.Keys) { self.fetch = fetch }

    /// - Throws: `notReady` if the key is not known and the provider could not be asked for it.
    func key(_ id: String, at now: Instant) async throws -> (any CustomerTokenKey)? {
        if let key = keys?[id] { return key }
        await update(at: now, after: Self.rest)
        if let key = keys?[id] { return key }
        // It may be new.
        guard !hasFailed else {
            throw RequestError.notReady(
                detail: "the keys of the login provider could not be fetched",
                hint: "retry, or send the request without a customer token; the log of offerd has the reason")
        }
        return nil
    }

    func refresh(at now: Instant) async {
        await update(at: now, after: keys == nil || hasFailed ? Self.rest : Self.life)
    }

    /// Fetches the keys, unless the latest attempt is younger than that; one in progress is waited for.
    private func update(at now: Instant, after rest: Int64) async {
        if let attempt, (0..<rest).contains(now.milliseconds(since: attempt.at)) {
            await attempt.task.value
            return
        }
        let task = Task { await renew() }
        attempt = (now, task)
        await task.value
    }

    private func renew() async {
        let fetched = try? await fetch()
        if let fetched { keys = fetched }
        hasFailed = fetched == nil
    }
}
