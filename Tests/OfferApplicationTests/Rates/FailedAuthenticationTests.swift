import OfferApplication
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Testing

@testable import OfferModel

@Suite("Failed authentication")
struct FailedAuthenticationTests {
    private static let secret = String(repeating: "ab", count: 32)
    private static let address = IPAddress("192.0.2.1")

    private struct Bench {
        let time = TestTime()
        let statements = RecordedStatements()
        let keys: APIKeys

        init(burst: Int) async throws {
            let time = time
            let limits = RateLimits(
                key: nil, customer: nil, failedAuthentication: RateLimit(perSecond: 1, burst: burst))
            let bench = try await Workbench()
            let database = RecordingDatabase(bench.database, statements)
            keys = APIKeys(
                database: OfferStore.Ledger(database, digest: OpenSSLDigest()), digest: OpenSSLDigest(),
                random: OpenSSLRandom(), author: .service, rates: RequestRates(limits, clock: { time.now }),
                clock: { Workbench.start })
        }

        /// 401, 429 or 200.
        func status(_ token: String, from address: IPAddress? = FailedAuthenticationTests.address) async throws -> Int {
            do {
                return try await keys.caller(forToken: token, from: address) == nil ? 401 : 200
            } catch RequestError.rateLimited(let rejected) {
                #expect(rejected.policy == .authentication)
                return 429
            }
        }
    }

    @Test(
        "a flood of invented tokens is rejected without a look into the database, and valid keys go on (attack: guessing)"
    )
    func flood() async throws {
        let bench = try await Bench(burst: 3)
        let valid = try await bench.keys.create(scope: Workbench.scope, role: .client).text
        func invented(_ number: Int) -> String { "offerd_client_test_\(String(format16: number))_\(Self.secret)" }
        for number in 1...3 { #expect(try await bench.status(invented(number)) == 401) }
        #expect(try await bench.status(invented(4)) == 429, "this one has the ids of all keys read")
        let before = bench.statements.total
        for number in 5...1_000 { #expect(try await bench.status(invented(number)) == 429) }
        #expect(try await bench.status("no token") == 429)
        #expect(bench.statements.total == before)
        #expect(try await bench.status(valid) == 200)
        #expect(try await bench.status(invented(1), from: IPAddress("192.0.2.2")) == 401)
        bench.time.advance(seconds: 1)
        #expect(try await bench.status(invented(1)) == 401)
        #expect(try await bench.status(invented(1)) == 429)
    }

    @Test("a wrong secret for the id of a valid key is throttled too, and the key goes on from the same address")
    func wrongSecret() async throws {
        let bench = try await Bench(burst: 2)
        let valid = try await bench.keys.create(scope: Workbench.scope, role: .client)
        let wrong = "offerd_client_test_\(valid.id)_\(Self.secret)"
        var statuses = [Int]()
        for _ in 1...4 { statuses.append(try await bench.status(wrong)) }
        #expect(statuses == [401, 401, 429, 429])
        #expect(try await bench.status(valid.text) == 200)
    }

    @Test("a key made while its address is throttled is accepted after a second at the latest")
    func newKey() async throws {
        let bench = try await Bench(burst: 1)
        for _ in 1...3 { _ = try await bench.status("no token") }
        #expect(try await bench.status("offerd_client_test_0000000000000000_\(Self.secret)") == 429)
        let valid = try await bench.keys.create(scope: Workbench.scope, role: .client).text
        bench.time.advance(milliseconds: 999)
        _ = try await bench.status(valid)
        bench.time.advance(milliseconds: 1)
        // The attack goes on.
        _ = try await bench.status("no token")
        #expect(try await bench.status(valid) == 200)
    }

    @Test("one host is one peer by its IPv4 address, mapped or not, or by the /64 of its IPv6 address")
    func peers() {
        func six(_ last: UInt8, network: UInt8 = 1) -> PeerAddress {
            PeerAddress(IPAddress(bytes: [0x20, 1, 0x0D, 0xB8, 0, 0, 0, network, 9, 9, 9, 9, 9, 9, 9, last]))
        }
        #expect(six(1) == six(2))
        #expect(six(1) != six(1, network: 2))
        let mapped = PeerAddress(IPAddress(bytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 1]))
        #expect(mapped == PeerAddress(Self.address))
        #expect(mapped != PeerAddress(IPAddress("192.0.2.2")))
        #expect(PeerAddress(nil) != mapped)
    }
}

extension String {
    /// 16 hexadecimal digits.
    fileprivate init(format16 number: Int) {
        let digits = String(number, radix: 16)
        self = String(repeating: "0", count: 16 - digits.count) + digits
    }
}
