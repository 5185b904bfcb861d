import AppStoreServer
import OfferModel
import OfferSigning
import OfferTestSupport

/// The servers that are asked in Apple's place: one of the fixture's own app, one that knows nobody.
struct AppleServers: Sendable {
    static let issuerId = "57246542-96fe-1a63-e053-0824d011072a"

    let own: AppleServer
    let strangers: AppleServer
    let transport: HTTPTransport

    /// The clients of an app, patient enough for a test and no more.
    func clients(
        of app: BundleId, key: any SigningKey, clock: TestClock
    ) throws -> [AppStoreEnvironment: AppStoreServerClient] {
        var clients: [AppStoreEnvironment: AppStoreServerClient] = [:]
        for environment in [AppStoreEnvironment.localTesting, .sandbox] {
            let scope = Scope(bundleId: app, environment: environment)
            let address = scope == ServiceFixture.scope ? own.address : strangers.address
            guard let host = AppStoreServerHost(environment: environment, address: address) else { continue }
            clients[environment] = AppStoreServerClient(
                access: AppStoreServerAccess(issuerId: Self.issuerId, bundleId: app, key: key),
                home: AppStoreServerClient.Server(host: host),
                policy: CallPolicy {
                    $0.attempts = 2
                    $0.requestMilliseconds = 2_000
                    $0.firstBackoffMilliseconds = 1
                },
                transport: transport, time: ServiceTime(clock: clock))
        }
        return clients
    }
}

/// The fixture's clock, with waits of the machine's.
private struct ServiceTime: CallTime {
    let clock: TestClock
    private let system = SystemCallTime()

    init(clock: TestClock) {
        self.clock = clock
    }

    var now: Instant { clock.now }
    var elapsedMilliseconds: Int64 { system.elapsedMilliseconds }

    func sleep(milliseconds: Int64) async throws {
        try await system.sleep(milliseconds: milliseconds)
    }
}
