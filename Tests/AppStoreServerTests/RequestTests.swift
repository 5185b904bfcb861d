import AppStoreServer
import OfferModel
import OfferTestSupport
import Testing

@Suite struct RequestTests {
    /// One call with Apple's answer to it, and the request it must make.
    struct Call: Sendable, CustomTestStringConvertible {
        var name: String
        var answer: String
        var request: String
        var body = ""
        var call: @Sendable (AppStoreServerClient) async throws -> String

        var testDescription: String { name }
    }

    private static let from = Instant(milliseconds: 1_770_000_000_000)
    private static let to = Instant(milliseconds: 1_780_000_000_000)

    static let calls: [Call] = [
        Call(
            name: "history", answer: #"{"hasMore":false,"signedTransactions":["j1","j2"],"revision":"r"}"#,
            request: "GET /inApps/v2/history/70"
        ) { "\(try await $0.transactionHistory(of: "70").value.signedTransactions)" },
        Call(
            name: "statuses",
            answer: """
                {"environment":"Production","data":[{"subscriptionGroupIdentifier":"g","lastTransactions":\
                [{"originalTransactionId":"70","status":9,"signedTransactionInfo":"t","signedRenewalInfo":"r"}]}]}
                """,
            request: "GET /inApps/v1/subscriptions/70"
        ) {
            let last = try await $0.subscriptionStatuses(of: "70").value.lastTransactions
            return
                "\(last.map { "\($0.status?.rawValue ?? 0)\($0.signedTransactionInfo)\($0.signedRenewalInfo ?? "")" })"
        },
        Call(
            name: "app transaction", answer: #"{"signedAppTransactionInfo":"a"}"#,
            request: "GET /inApps/v1/transactions/appTransactions/70"
        ) { try await $0.signedAppTransaction(of: "70").value },
        Call(
            name: "order", answer: #"{"status":0,"signedTransactions":["t"]}"#,
            request: "GET /inApps/v1/lookup/MK5TTTVWJH"
        ) { "\(try await $0.order("MK5TTTVWJH").signedTransactions)" },
        Call(
            name: "unknown order", answer: #"{"status":1}"#, request: "GET /inApps/v1/lookup/M"
        ) { try await $0.order("M").status == 1 ? "invalid" : "" },
        Call(
            name: "notifications",
            answer: #"{"hasMore":false,"notificationHistory":[{"signedPayload":"n"}]}"#,
            request: "POST /inApps/v1/notifications/history",
            body: #"{"endDate":1780000000000,"startDate":1770000000000}"#
        ) {
            try await $0.notificationHistoryPage(NotificationHistoryQuery(from: from, to: to))
                .notificationHistory.map(\.signedPayload).joined()
        },
        Call(
            name: "failed notifications",
            answer: """
                {"hasMore":true,"paginationToken":"p","notificationHistory":[{"signedPayload":"n","sendAttempts":\
                [{"attemptDate":5,"sendAttemptResult":"NEW_ONE"}]}]}
                """,
            request: "POST /inApps/v1/notifications/history?paginationToken=x%2Fy",
            body: #"{"endDate":1780000000000,"onlyFailures":true,"startDate":1770000000000}"#
        ) {
            let page = try await $0.notificationHistoryPage(
                NotificationHistoryQuery(from: from, to: to, onlyFailures: true), after: "x/y")
            return page.notificationHistory.map(\.signedPayload).joined() + (page.paginationToken ?? "")
        },
    ]

    private static let results = [
        "history": #"["j1", "j2"]"#, "statuses": #"["9tr"]"#, "app transaction": "a", "order": #"["t"]"#,
        "unknown order": "invalid", "notifications": "n", "failed notifications": "np",
    ]

    @Test("each call makes the request that Apple documents and reads the answer", arguments: calls)
    func call(_ call: Call) async throws {
        try await AppleServer.run(answering: [.answer(200, call.answer)]) { server in
            let result = try await withClient(of: server) { try await call.call($0) }
            #expect(result == Self.results[call.name])
            let request = try #require(server.seen.first)
            #expect(server.seen.count == 1)
            #expect("\(request.method) \(request.uri)" == call.request)
            #expect(request.body == call.body)
            #expect(request.headers["accept"] == "application/json")
            #expect(request.headers["content-type"] == (call.body.isEmpty ? nil : "application/json"))
            #expect(request.headers["authorization"]?.hasPrefix("Bearer ey") == true)
        }
    }

    @Test(
        "whatever was typed stays one part of the path (invariant 10)",
        arguments: [
            ("7/../../x?y=1#z", "7%2F..%2F..%2Fx%3Fy%3D1%23z"), ("a b\r\nHost: x", "a%20b%0D%0AHost%3A%20x"),
            ("zurück\u{0}", "zur%C3%BCck%00"), ("%2F", "%252F"),
        ])
    func hostileIds(id: String, path: String) async throws {
        try await AppleServer.run(answering: [.error(4_000_006)]) { server in
            let error = try await withClient(of: server) { client in
                await failure { () throws(AppStoreServerError) in
                    try await client.signedAppTransaction(of: id)
                }
            }
            #expect(error?.errorCode == .invalidTransactionId)
            #expect(server.seen.map(\.uri) == ["/inApps/v1/transactions/appTransactions/\(path)"])
        }
    }

    @Test("a text that cannot be an id is not sent", arguments: ["", ".", "..", String(repeating: "7", count: 257)])
    func noIds(id: String) async throws {
        try await AppleServer.run(answering: [.silence]) { server in
            try await withClient(of: server) { client in
                let errors = [
                    await failure { () throws(AppStoreServerError) in try await client.transactionHistory(of: id) },
                    await failure { () throws(AppStoreServerError) in try await client.subscriptionStatuses(of: id) },
                    await failure { () throws(AppStoreServerError) in try await client.signedAppTransaction(of: id) },
                    await failure { () throws(AppStoreServerError) in try await client.order(id) },
                ]
                #expect(errors.map(\.?.code) == Array(repeating: .notSent, count: 4))
                #expect(server.seen.isEmpty)
            }
        }
    }

    @Test(
        "an address takes the token only over TLS or to this machine",
        arguments: [
            ("https://api.storekit.apple.com", true), ("http://127.0.0.1:8080", true), ("http://[::1]:1", true),
            ("http://localhost", true), ("http://api.storekit.apple.com", false), ("http://127.0.0.1.evil.com", false),
            ("http://localhost.evil.com:80", false), ("https://user@host", false), ("https://host/path", false),
            ("https://host?x", false), ("ftp://host", false), ("https://", false), ("host", false), ("", false),
        ])
    func addresses(address: String, isTaken: Bool) {
        #expect((AppStoreServerHost(environment: .sandbox, address: address) != nil) == isTaken)
    }

    @Test("Apple's hosts are those of its documentation, and the other environments have none")
    func hosts() {
        #expect(AppStoreServerHost.apple(.production)?.address == "https://api.storekit.apple.com")
        #expect(AppStoreServerHost.apple(.sandbox)?.address == "https://api.storekit-sandbox.apple.com")
        #expect(AppStoreServerHost.apple(.localTesting) == nil)
        #expect(AppStoreServerHost.apple(.xcode) == nil)
    }
}
