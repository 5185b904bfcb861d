import OfferModel
import OfferTestSupport
import Testing

@testable import AppStoreServer

/// A network that answers with the same bytes at once.
private struct FixedTransport: AppStoreServerTransport {
    var reply: AppStoreServerReply

    func reply(
        to request: AppStoreServerRequest, withinMilliseconds milliseconds: Int64, atMostBytes bytes: Int
    ) async throws(TransportFailure) -> AppStoreServerReply { reply }
}

@Suite struct HostileAnswerTests {
    private static let whole = [
        """
        {"revision":"r","hasMore":false,"bundleId":"com.example.pro","signedTransactions":["a.b.c","d.e.f"]}
        """,
        """
        {"data":[{"subscriptionGroupIdentifier":"g","lastTransactions":[{"originalTransactionId":"70","status":1,\
        "signedTransactionInfo":"t","signedRenewalInfo":"r"}]}]}
        """,
        """
        {"hasMore":false,"notificationHistory":[{"signedPayload":"n","sendAttempts":[{"attemptDate":5,\
        "sendAttemptResult":"SUCCESS"}]}]}
        """,
        #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#,
    ]

    @Test("damaged answers are read or refused, never a crash (invariant 10)")
    func damaged() async throws {
        var random = SeededGenerator(seed: 0x5EED_0A95)
        let key = try #require(TestKey.key)
        let host = try #require(AppStoreServerHost(environment: .production, address: "https://example.com"))
        for _ in 0..<1_500 {
            var bytes = Array(Self.whole.randomElement(using: &random)?.utf8 ?? "".utf8)
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place...].prefix(20), at: place)
                }
            }
            let status = [200, 400, 404, 429, 500].randomElement(using: &random) ?? 200
            let client = AppStoreServerClient(
                access: AppStoreServerAccess(issuerId: issuerId, bundleId: "com.example.pro", key: key),
                home: AppStoreServerClient.Server(host: host), policy: CallPolicy { $0.attempts = 2 },
                transport: FixedTransport(
                    reply: AppStoreServerReply(
                        status: status, retryAfter: String(decoding: bytes, as: UTF8.self), body: bytes)),
                time: TestTime())
            let errors = [
                await failure { () throws(AppStoreServerError) in try await client.transactionHistory(of: "70") },
                await failure { () throws(AppStoreServerError) in try await client.subscriptionStatuses(of: "70") },
                await failure { () throws(AppStoreServerError) in
                    try await client.notificationHistoryPage(
                        NotificationHistoryQuery(from: TestTime.start, to: TestTime.start))
                },
            ]
            for error in errors.compactMap(\.self) {
                #expect(status == 200 ? error.code == .unreadableAnswer : error.status == status, "seed \(random.seed)")
                #expect(error.message.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
            }
        }
    }
}
