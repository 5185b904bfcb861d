import AppStoreServer
import OfferModel
import OfferSigning
import OfferTestSupport
import OpenSSLCrypto
import Testing

/// A key, made once.
enum TestKey {
    static let key: OpenSSLSigningKey? = {
        guard let scratch = try? TemporaryDirectory() else { return nil }
        return try? OpenSSLSigningKey.generate(toNewFile: scratch.path("key.p8"), keyId: "2X9R4HXF34")
    }()
}

let issuerId = "57246542-96fe-1a63-e053-0824d011072a"

/// Runs the body with a client of that server, and closes its connections.
func withClient<Result>(
    of server: AppleServer, environment: AppStoreEnvironment = .production, otherServer: AppleServer? = nil,
    policy: CallPolicy = CallPolicy(), time: any CallTime = TestTime(), jitterIsLargest: Bool = true,
    _ body: (AppStoreServerClient) async throws -> Result
) async throws -> Result {
    let transport = HTTPTransport()
    let key = try #require(TestKey.key)
    let host = try #require(AppStoreServerHost(environment: environment, address: server.address))
    let other = try otherServer.map {
        try #require(
            AppStoreServerHost(
                environment: environment == .production ? .sandbox : .production, address: $0.address))
    }
    let client = AppStoreServerClient(
        access: AppStoreServerAccess(issuerId: issuerId, bundleId: "com.example.pro", key: key),
        home: AppStoreServerClient.Server(host: host), other: other.map { AppStoreServerClient.Server(host: $0) },
        policy: policy, transport: transport, time: time,
        jitter: { jitterIsLargest ? $0.upperBound : $0.lowerBound })
    do {
        let result = try await body(client)
        await transport.shutdown()
        return result
    } catch {
        await transport.shutdown()
        throw error
    }
}

/// The error of a call, or `nil` if it does not throw.
func failure<Result>(_ call: () async throws(AppStoreServerError) -> Result) async -> AppStoreServerError? {
    do throws(AppStoreServerError) {
        _ = try await call()
        return nil
    } catch {
        return error
    }
}

/// A page of a transaction history as Apple writes it, with members that are unknown here.
func historyPage(_ signed: [String], revision: String, hasMore: Bool) -> AppleServer.Reply {
    let list = signed.map { "\"\($0)\"" }.joined(separator: ",")
    return .answer(
        200,
        """
        {"revision":"\(revision)","hasMore":\(hasMore),"bundleId":"com.example.pro","appAppleId":1234567890,\
        "environment":"Production","signedTransactions":[\(list)],"addedByApple":{"later":[1]}}
        """)
}
