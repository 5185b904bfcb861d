public import OfferModel

/// Asks Apple's App Store Server API about the purchases of one app.
///
/// What Apple signed comes back as text: whoever stores it verifies it first. A copy shares the pace, so that all of
/// them together keep to Apple's limits.
public struct AppStoreServerClient: Sendable {
    /// One environment's server, with its pace.
    public struct Endpoint: Sendable {
        /// Where it answers.
        public let host: AppStoreServerHost
        let pace: CallPace

        /// A server by its parts; one pace for all clients of an app and environment.
        public init(host: AppStoreServerHost, pace: CallPace) {
            self.host = host
            self.pace = pace
        }

        /// A server with a pace of its own at Apple's limits.
        public init(host: AppStoreServerHost) {
            self.init(host: host, pace: CallPace(AppleRateLimits.apple(host.environment)))
        }
    }

    /// As whom Apple is asked.
    public let access: AppStoreServerAccess
    /// The environment this client is of.
    public let home: Endpoint
    /// Where a transaction is looked for that `home` does not know; `nil` where that is not allowed.
    public let other: Endpoint?
    let policy: CallPolicy
    let exchange: Exchange
    /// The moment by which all calls must be done; `nil` where each has its own time alone.
    private var end: Int64?

    /// A client of one environment.
    ///
    /// - Parameters:
    ///   - access: the key and the app.
    ///   - home: the environment asked.
    ///   - other: a second environment, asked for what Apple does not know in the first (4040010); never the one whose
    ///     history is stored with that of `home`, so absent unless the caller tells them apart.
    ///   - policy: how long and how often.
    ///   - transport: the network.
    ///   - time: the clocks.
    ///   - jitter: a random number of a range, so that many clients do not ask again at one moment.
    public init(
        access: AppStoreServerAccess, home: Endpoint, other: Endpoint? = nil, policy: CallPolicy = CallPolicy(),
        transport: any AppStoreServerTransport, time: any CallTime = SystemCallTime(),
        jitter: @escaping @Sendable (ClosedRange<Int64>) -> Int64 = { Int64.random(in: $0) }
    ) {
        self.access = access
        self.home = home
        self.other = other
        self.policy = policy
        exchange = Exchange(access: access, policy: policy, transport: transport, time: time, jitter: jitter)
    }

    /// The same with other patience.
    public func with(_ policy: CallPolicy) -> AppStoreServerClient {
        var client = AppStoreServerClient(
            access: access, home: home, other: other, policy: policy, transport: exchange.transport,
            time: exchange.time, jitter: exchange.jitter)
        client.end = end
        return client
    }

    /// The same for several calls that must all be done within this time from now.
    public func within(milliseconds: Int64) -> AppStoreServerClient {
        var client = self
        client.end = exchange.time.elapsedMilliseconds + milliseconds
        return client
    }

    /// The moment by which a call that begins now must be done.
    var deadline: Int64 {
        let own = exchange.time.elapsedMilliseconds + policy.totalMilliseconds
        return end.map { min($0, own) } ?? own
    }

    /// Asks at home and, for a transaction unknown there, in the other environment where that is allowed.
    func inEitherEnvironment<Value: Sendable>(
        _ ask: (Endpoint) async throws(AppStoreServerError) -> Value
    ) async throws(AppStoreServerError) -> AppStoreAnswer<Value> {
        let unknown: AppStoreServerError
        do {
            return AppStoreAnswer(try await ask(home), environment: home.host.environment)
        } catch {
            unknown = error
        }
        guard unknown.errorCode == .transactionIdNotFound, let other else { throw unknown }
        do {
            return AppStoreAnswer(try await ask(other), environment: other.host.environment)
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

/// An answer with the environment that gave it.
public struct AppStoreAnswer<Value: Sendable>: Sendable {
    /// What Apple said.
    public let value: Value
    /// Where; not always where it was asked first.
    public let environment: AppStoreEnvironment

    init(_ value: Value, environment: AppStoreEnvironment) {
        self.value = value
        self.environment = environment
    }
}

extension AppStoreAnswer: Equatable where Value: Equatable {}
