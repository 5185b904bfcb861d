import Foundation
import LocalAppStore
import OfferModel
import OfferStore
import OfferTestSupport

/// An operator's installation, made with the real commands in a separate directory: a key, a local root, a database,
/// and an API key for every role.
struct Installation: Sendable {
    struct Failed: Error {
        var what: String
    }

    static let offerd = BuiltProgram("offerd")
    let directory: TemporaryDirectory
    let tokens: [Role: String]
    let appStore: LocalAppStore

    init() async throws {
        directory = try TemporaryDirectory()
        try Self.configure(directory, TestStore.isPostgres ? TestStore(in: directory).place : "offers.sqlite")
        try directory.write(
            """
            apps:
              - bundleId: com.example.pro
                issuerId: 57246542-96fe-1a63-e053-0824d011072a
                environments: [LocalTesting]
                keys:
                  - { keyId: LOCALTEST1, privateKey: signing.p8, use: signing }
                trustedRoots: { LocalTesting: [root/root.der] }
            """, to: "keys.yaml")
        let place = directory
        func offerd(_ arguments: String...) async throws -> String {
            let command = try await Self.offerd.run(arguments, directory: place.url)
            guard command.status == 0 else { throw Failed(what: "\(arguments): \(command.errorText)") }
            return command.text.trimmingCharacters(in: .newlines)
        }
        _ = try await offerd("keys", "generate", "--out", "signing.p8", "--key-id", "LOCALTEST1")
        _ = try await offerd("dev", "root", "--out", "root")
        _ = try await offerd("migrate", "--config", "offerd.yaml")
        var tokens: [Role: String] = [:]
        for role in Role.allCases {
            tokens[role] = try await offerd(
                "api-keys", "create", "--app", "com.example.pro", "--environment", "LocalTesting", "--role",
                role.rawValue, "--config", "offerd.yaml")
        }
        self.tokens = tokens
        appStore = LocalAppStore(root: try LocalRoot(directory: directory.path("root")))
    }

    /// The same anew: everything that was set up, in a directory of its own.
    init(copying other: Installation) throws {
        directory = try TemporaryDirectory(copying: other.directory.url)
        if TestStore.isPostgres {
            try Self.configure(directory, TestStore(copying: other.directory, to: directory).place)
        }
        tokens = other.tokens
        appStore = other.appStore
    }

    private static func configure(_ directory: TemporaryDirectory, _ database: String) throws {
        try directory.write(
            """
            listen: 127.0.0.1:0
            database: \(database)
            keys: keys.yaml
            rateLimits: { customer: off }

            """, to: "offerd.yaml")
    }

    func token(_ role: Role) throws -> String {
        guard let token = tokens[role] else { throw Failed(what: "no token for \(role)") }
        return token
    }

    /// The database as it is on disk, beside whatever server uses it.
    func reading<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        let database = try TestStore(of: directory).open()
        let result = try await database.read(body)
        try database.close()
        return result
    }

    /// The signed data of somebody whose subscription has lapsed, as members of a request.
    func lapsedCustomer(_ id: Int) throws -> String {
        let signed = try signedLapsedCustomer(id)
        func list(_ jws: [String]) -> String { "[" + jws.map { "\"\($0)\"" }.joined(separator: ",") + "]" }
        return """
            "signedTransactions":\(list(signed.signedTransactions)),"signedRenewalInfo":\(list(signed.signedRenewalInfo))
            """
    }

    /// Apple's data about a customer whose subscription has lapsed, by its dates.
    func notifications(of id: Int) throws -> [String] {
        try signedLapsedCustomer(id).notifications
    }

    private func signedLapsedCustomer(_ id: Int) throws -> SignedScenario {
        let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        let scenario = Scenario(
            bundleId: "com.example.pro", environment: .localTesting,
            customer: ScenarioCustomer(originalTransactionId: TransactionId("\(7_000_000 + id)")),
            steps: [
                .buy(
                    product: "com.example.pro.monthly", group: "21500001", at: .fixed(now.adding(months: -4)),
                    period: Period(months: 1), price: Money(milliunits: 9_990, currency: "USD")),
                .cancel(at: .fixed(now.adding(months: -4).adding(milliseconds: 60_000))),
                .expire(),
            ])
        return try appStore.sign(scenario, now: now)
    }

    static func originalTransactionId(_ id: Int) -> String { "\(7_000_000 + id)" }
}

extension Installation {
    /// The log of the servers started here.
    func logs() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
            .filter { $0.hasPrefix("serve-") && $0.hasSuffix(".log") }
            .map { try String(contentsOfFile: directory.path($0), encoding: .utf8) }
    }
}
