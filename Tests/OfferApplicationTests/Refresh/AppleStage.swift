import AppStoreServer
import LocalAppStore
import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Synchronization

/// A workbench whose App Store is asked over a real server that plays Apple's.
struct AppleStage: Sendable {
    let bench: Workbench
    let apple: PlayedAppStore
    let server: AppleServer
    let useCases: UseCases
    let registry: AppRegistry
    let time: StageTime

    /// - Parameters:
    ///   - elsewhere: what the other environment's server knows; nobody is asked there without it.
    static func run(
        policy: CallPolicy = CallPolicy {
            $0.attempts = 2
            $0.requestMilliseconds = 2_000
        }, elsewhere: PlayedAppStore? = nil,
        shop: Shop? = nil, _ body: (AppleStage) async throws -> Void
    ) async throws {
        let bench = try await Workbench(shop: shop)
        let (apple, transport) = (PlayedAppStore(), HTTPTransport())
        do {
            try await apple.serve { server in
                try await (elsewhere ?? PlayedAppStore()).serve { other in
                    let stage = try AppleStage(
                        bench, apple, server, elsewhere == nil ? nil : other, transport, policy: policy)
                    try await body(stage)
                }
            }
            await transport.shutdown()
        } catch {
            await transport.shutdown()
            throw error
        }
    }

    private init(
        _ bench: Workbench, _ apple: PlayedAppStore, _ server: AppleServer, _ other: AppleServer?,
        _ transport: HTTPTransport, policy: CallPolicy
    ) throws {
        self.bench = bench
        self.apple = apple
        self.server = server
        let clock = StageTime(clock: bench.clock)
        time = clock
        let app = try bench.registry.app(for: Workbench.scope)
        func endpoint(_ environment: AppStoreEnvironment, _ address: String) -> AppStoreServerClient.Server? {
            AppStoreServerHost(environment: environment, address: address).map { .init(host: $0) }
        }
        let clients = endpoint(.localTesting, server.address).map { home in
            [
                AppStoreEnvironment.localTesting: AppStoreServerClient(
                    access: AppStoreServerAccess(issuerId: app.issuerId, bundleId: app.bundleId, key: bench.key),
                    home: home, other: other.flatMap { endpoint(.sandbox, $0.address) }, policy: policy,
                    transport: transport, time: clock)
            ]
        }
        registry = AppRegistry([
            RegisteredApp(
                bundleId: app.bundleId, appAppleId: app.appAppleId, issuerId: app.issuerId,
                signingKeys: app.signingKeys, verifier: app.verifier,
                appStoreServers: clients ?? [:])
        ])
        let testClock = bench.clock
        useCases = UseCases(
            registry: registry, database: bench.database, digest: OpenSSLDigest(), random: OpenSSLRandom(),
            clock: { testClock.now })
    }

    /// Asks as support does.
    func refresh(_ identifiers: CustomerIdentifiers) async throws -> RefreshReport {
        try await useCases.refresh.refresh(.customer(identifiers), caller: Workbench.caller(.support))
    }

    /// What is known of a customer.
    func known(_ identifiers: CustomerIdentifiers) async throws -> KnownSubject {
        try await bench.known(identifiers)
    }

    /// The paths that were asked, without their queries.
    var asked: [String] {
        server.seen.map { String($0.uri.prefix { $0 != "?" }) }
    }
}

extension PlayedAccount {
    init(_ delivery: SignedDelivery) {
        self.init(
            transactions: delivery.signedTransactions, renewalInfos: delivery.signedRenewalInfo,
            appTransaction: delivery.signedAppTransaction)
    }
}

/// The workbench's clock, on which waits are over at once and remembered.
final class StageTime: CallTime {
    let clock: TestClock
    private let waited = Mutex<[Int64]>([])

    init(clock: TestClock) {
        self.clock = clock
    }

    var waits: [Int64] { waited.withLock { $0 } }
    var now: Instant { clock.now }
    var elapsedMilliseconds: Int64 { waits.reduce(0, +) }

    func sleep(milliseconds: Int64) async throws {
        try Task.checkCancellation()
        waited.withLock { $0.append(milliseconds) }
    }
}

/// What a request is refused with; `nil` if it is not.
func refusal<Value>(_ body: () async throws -> Value) async throws -> RequestError? {
    do {
        _ = try await body()
        return nil
    } catch let error as RequestError {
        return error
    }
}

extension RequestError {
    /// That Apple knows nobody, in words.
    var unknownToApple: String? {
        guard case .unknownToAppStore(let detail, _) = self else { return nil }
        return detail
    }

    /// That Apple gave no answer.
    var appleFailure: AppStoreFailure? {
        guard case .appStoreFailed(let failure) = self else { return nil }
        return failure
    }
}

extension RefreshReport.Counts {
    subscript(outcome: IngestOutcome) -> Int {
        switch outcome {
        case .added: added
        case .updated: updated
        case .unchanged: unchanged
        case .refused, .ignored: refused
        }
    }

    var total: Int { added + updated + unchanged + refused }
}
