import LocalAppStore
import Metrics
import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Synchronization

/// The application with real parts and a clock that tests set; it holds the ledger to its rules after every step.
final class Workbench: Sendable {
    static let scope = Scope(bundleId: "com.example.pro", environment: .localTesting)
    static let start = Instant(milliseconds: 1_793_491_200_123)
    static let client = caller(.client)
    /// Sees every finding.
    static let support = caller(.support)
    static let marketing = caller(.marketing)

    let clock: TestClock
    let shop: Shop
    let database: any DatabaseDriver
    let key: OpenSSLSigningKey
    let registry: AppRegistry
    let directory: TemporaryDirectory
    let useCases: UseCases
    private let released = Mutex<[String]>([])
    private let first = Mutex<LowercaseUUID?>(nil)
    private let tolerates = Mutex(false)

    static func caller(_ role: Role, scope: Scope = Workbench.scope) -> Caller {
        Caller(apiKeyId: "0123456789abcdef", scope: scope, role: role)
    }

    /// - Parameters:
    ///   - onFile: whether other processes can open the database.
    ///   - place: a directory with the database of another workbench, which is opened; one of its own unless given.
    ///   - shop: the App Store whose root is trusted; one of its own unless given.
    ///   - catalog: what is applied at once.
    ///   - vouchedByApple: whether the shop's root passes for Apple's.
    ///   - metrics: where is counted what becomes known.
    ///   - rates: how fast requests may come.
    init(
        onFile: Bool = false, in place: TemporaryDirectory? = nil, shop: Shop? = nil,
        catalog: String? = TestCatalog.yaml, vouchedByApple: Bool = false,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance, rates: RequestRates = RequestRates(.off)
    ) async throws {
        clock = shop?.clock ?? TestClock(Self.start)
        self.shop = try shop ?? Shop(clock: clock)
        directory = try place ?? TemporaryDirectory()
        if place != nil {
            database = try TestStore(of: directory).open()
        } else if onFile {
            database = try TestStore(in: directory).open()
        } else {
            database = try TestStore.alone(in: directory)
        }
        key = try OpenSSLSigningKey.generate(toNewFile: directory.path("key.p8"), keyId: "2X9R4HXF34")
        let appleKey = try OpenSSLSigningKey.generate(toNewFile: directory.path("apple.p8"), keyId: "7K3M9QZT21")
        let roots = self.shop.root.rootDER
        let judge = try AppStoreChainVerifier(additionalRoots: [.localTesting: [roots], .sandbox: [roots]])
        registry = AppRegistry([
            RegisteredApp(
                bundleId: Self.scope.bundleId, appAppleId: 1_234_567_890,
                issuerId: "57246542-96fe-1a63-e053-0824d011072a",
                signingKeys: [.localTesting: key, .sandbox: appleKey, .production: appleKey],
                verifier: vouchedByApple ? VouchedByApple(judge: judge) : judge)
        ])
        useCases = Self.useCases(registry, over: database, clock, metrics, rates)
        if let catalog { try await apply(catalog, expected: 0) }
    }

    private static func useCases(
        _ registry: AppRegistry, over database: any StoreDatabase, _ clock: TestClock,
        _ metrics: any MetricsFactory = NOOPMetricsHandler.instance, _ rates: RequestRates = RequestRates(.off)
    ) -> UseCases {
        UseCases(
            registry: registry, database: database, digest: OpenSSLDigest(), random: OpenSSLRandom(), metrics: metrics,
            rates: rates, timeZones: .known, clock: { clock.now })
    }

    /// The same application over another way to the data.
    func useCases(over database: any StoreDatabase) -> UseCases {
        Self.useCases(registry, over: database, clock)
    }

    /// The same application with a clock that never stands still.
    func hurriedUseCases() -> UseCases {
        let clock = clock
        return UseCases(
            registry: registry, database: database, digest: OpenSSLDigest(), random: OpenSSLRandom(),
            clock: { clock.tick() })
    }

    /// A second opening of the same database, as another process has it.
    func reopened() throws -> any DatabaseDriver {
        try TestStore(of: directory).open()
    }

    /// From now on known redemptions may exceed what is allowed: they arrived late.
    func tolerateOverrun() { tolerates.withLock { $0 = true } }
    var toleratesOverrun: Bool { tolerates.withLock { $0 } }
    var firstIssuedOffer: LowercaseUUID? { first.withLock { $0 } }
    var releasedArtefacts: [String] { released.withLock { $0 } }

    /// Expects no row of these any more: an erasure has taken them away.
    func forget(_ artefacts: Set<String>) {
        released.withLock { $0.removeAll(where: artefacts.contains) }
    }

    /// Notes what an answer hands out.
    func note(_ answer: IssueAnswer) {
        released.withLock { $0 += answer.artefacts }
        if let id = answer.issued?.offer.id { first.withLock { $0 = $0 ?? id } }
    }
}
