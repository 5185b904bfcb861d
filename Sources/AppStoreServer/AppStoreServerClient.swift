public import OfferModel

/// Calls Apple's App Store Server API about the purchases of one app.
///
/// Signed data comes back as text: verify it before storing it. Copies share their rate limiters, so that
/// together they keep to Apple's limits. Every call throws ``AppStoreServerError``.
public struct AppStoreServerClient: Sendable {
    /// One environment's server, with its rate limiter.
    public struct Server: Sendable {
        public let host: AppStoreServerHost
        let limiter: RateLimiter

        /// - Parameter limiter: one for all clients of an app and environment; its own at Apple's limits by default.
        public init(host: AppStoreServerHost, limiter: RateLimiter? = nil) {
            self.host = host
            self.limiter = limiter ?? RateLimiter(AppleRateLimits.apple(host.environment))
        }
    }

    public let access: AppStoreServerAccess
    public let home: Server
    /// Asked for a transaction that `home` does not know; `nil` where that is not allowed.
    public let other: Server?
    var exchange: Exchange
    /// The moment by which all calls must be done; `nil` where only the policy bounds them.
    private var end: Int64?

    /// - Parameters:
    ///   - other: a second environment, asked for what Apple does not know in the first (4040010); never the one whose
    ///     history is stored with that of `home`, so absent unless the caller tells them apart.
    ///   - jitter: a random number of a range, so that many clients do not retry at one moment.
    public init(
        access: AppStoreServerAccess, home: Server, other: Server? = nil, policy: CallPolicy = CallPolicy(),
        transport: any AppStoreServerTransport, time: any CallTime = SystemCallTime(),
        jitter: @escaping @Sendable (ClosedRange<Int64>) -> Int64 = { Int64.random(in: $0) }
    ) {
        self.access = access
        self.home = home
        self.other = other
        exchange = Exchange(access: access, policy: policy, transport: transport, time: time, jitter: jitter)
    }

    public func with(_ policy: CallPolicy) -> AppStoreServerClient {
        var client = self
        client.exchange.policy = policy
        return client
    }

    /// The same client for several calls that must all be done within this time from now.
    public func within(milliseconds: Int64) -> AppStoreServerClient {
        var client = self
        client.end = exchange.time.elapsedMilliseconds + milliseconds
        return client
    }

    /// The moment by which a call that begins now must be done.
    private var deadline: Int64 {
        let own = exchange.time.elapsedMilliseconds + exchange.policy.totalMilliseconds
        return end.map { min($0, own) } ?? own
    }

    private func ask<Answer: Decodable>(_ endpoint: Endpoint) async throws(AppStoreServerError) -> Answer {
        try await exchange.answer(Answer.self, to: endpoint, at: home, by: deadline)
    }

    private func askEither<Answer: Decodable & Sendable>(
        _ endpoint: Endpoint
    ) async throws(AppStoreServerError) -> AppStoreAnswer<Answer> {
        let deadline = deadline
        return try await inEitherEnvironment { server throws(AppStoreServerError) in
            try await exchange.answer(Answer.self, to: endpoint, at: server, by: deadline)
        }
    }

    /// Asks at home and, for a transaction unknown there, in the other environment where that is allowed.
    private func inEitherEnvironment<Value: Sendable>(
        _ ask: (Server) async throws(AppStoreServerError) -> Value
    ) async throws(AppStoreServerError) -> AppStoreAnswer<Value> {
        let unknown: AppStoreServerError
        do {
            return AppStoreAnswer(value: try await ask(home), environment: home.host.environment)
        } catch {
            unknown = error
        }
        guard unknown.errorCode == .transactionIdNotFound, let other else { throw unknown }
        do {
            return AppStoreAnswer(value: try await ask(other), environment: other.host.environment)
        } catch {
            switch error.code {
            // Home has answered; that the other cannot be asked now does not take it back.
            case .rateLimited, .unavailable, .timedOut, .unreachable: throw unknown
            default: break
            }
            guard error.errorCode == .transactionIdNotFound else { throw error }
            throw AppStoreServerError(
                .notFound,
                "Apple knows no such transaction of `\(access.bundleId)` in \(home.host.environment.rawValue) nor in "
                    + "\(other.host.environment.rawValue) (\(AppStoreErrorCode.transactionIdNotFound.rawValue))",
                hint: "check the id, and that it is of this app", errorCode: .transactionIdNotFound,
                status: error.status, attempts: unknown.attempts + error.attempts)
        }
    }
}

/// An answer with the environment that gave it, which is not always the one asked first.
public struct AppStoreAnswer<Value: Sendable>: Sendable {
    public let value: Value
    public let environment: AppStoreEnvironment
}

extension AppStoreAnswer: Equatable where Value: Equatable {}

extension AppStoreServerClient {
    /// All transactions of a customer, page after page, in the order Apple gives them. One that changed meanwhile may
    /// be there twice.
    ///
    /// After ``CallPolicy/maximumPages`` it stops with `hasMore`. If it throws, the pages before are lost.
    public func transactionHistory(
        of id: String
    ) async throws(AppStoreServerError) -> AppStoreAnswer<TransactionHistoryPage> {
        let deadline = deadline
        let first = try Endpoint.transactionHistory(id, nil)
        return try await inEitherEnvironment { server throws(AppStoreServerError) in
            var all = try await exchange.answer(TransactionHistoryPage.self, to: first, at: server, by: deadline)
            var pages = 1
            while all.hasMore, pages < exchange.policy.maximumPages {
                let next = try await exchange.answer(
                    TransactionHistoryPage.self, to: try Endpoint.transactionHistory(id, all.revision), at: server,
                    by: deadline)
                guard !next.hasMore || next.revision != all.revision else {
                    throw AppStoreServerError(
                        .unreadableAnswer, "Apple's history repeats revision `\(next.revision ?? "")` without end",
                        hint: "try again later")
                }
                all.append(next)
                pages += 1
            }
            return all
        }
    }

    /// The status of each subscription of a customer (Get All Subscription Statuses).
    public func subscriptionStatuses(
        of id: String
    ) async throws(AppStoreServerError) -> AppStoreAnswer<SubscriptionStatuses> {
        try await askEither(.subscriptionStatuses(id))
    }

    /// A customer's app transaction as a JWS (Get App Transaction Info).
    public func signedAppTransaction(of id: String) async throws(AppStoreServerError) -> AppStoreAnswer<String> {
        let answer: AppStoreAnswer<SignedAppTransactionInfo> = try await askEither(.appTransactionInfo(id))
        return AppStoreAnswer(value: answer.value.signedAppTransactionInfo, environment: answer.environment)
    }

    /// The purchases of an order of the App Store (Look Up Order ID), in the own environment alone: Apple knows no
    /// orders of the sandbox.
    public func order(_ orderId: String) async throws(AppStoreServerError) -> AppStoreOrder {
        try await ask(.orderLookup(orderId))
    }

    /// One page of up to 20 notifications that Apple sent or tried to send (Get Notification History).
    public func notificationHistoryPage(
        _ query: NotificationHistoryQuery, after paginationToken: String? = nil
    ) async throws(AppStoreServerError) -> NotificationHistoryPage {
        try await ask(.notificationHistory(query, paginationToken))
    }
}
