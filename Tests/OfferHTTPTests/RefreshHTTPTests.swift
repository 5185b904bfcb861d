import Foundation
import LocalAppStore
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@Suite("POST /v1/customers/refresh over a real socket")
struct RefreshHTTPTests {
    private func refresh(_ service: ServiceFixture, _ body: String) async throws -> RawAnswer {
        try await service.ask(
            "POST", "/v1/customers/refresh", token: try await service.token(.support), body: body)
    }

    @Test("the answer counts what came of Apple's data, names the customer and says how much is known")
    func answer() async throws {
        try await ServiceFixture.run { service in
            _ = try service.lapsedCustomer("100")
            let answer = try await refresh(service, #"{"customer":{"originalTransactionId":"100"}}"#)
            #expect(
                answer.text == """
                    {"appTransactions":{"added":0,"refused":0,"unchanged":0,"updated":0},\
                    "coverage":{"asOf":1780000000000,"level":"complete","provenance":"serverAPI"},\
                    "customers":[{"appAccountTokens":[],"appTransactionId":"app-100","customerIds":[],\
                    "originalTransactionIds":["100"]}],"gaps":[],"refused":[],\
                    "renewalInfos":{"added":1,"refused":0,"unchanged":0,"updated":0},\
                    "transactions":{"added":3,"refused":0,"unchanged":0,"updated":0}}
                    """)
            let decided = try await service.ask(
                "GET", "/v1/customers?appTransactionId=app-100", token: try await service.token(.support))
            #expect((decided.json["coverage"] as? [String: Any])?["level"] as? String == "complete")
        }
    }

    @Test("a backend refreshes with its own key as support does")
    func byBackend() async throws {
        try await ServiceFixture.run { service in
            _ = try service.lapsedCustomer("100")
            let body = #"{"customer":{"originalTransactionId":"100"}}"#
            let answer = try await service.ask(
                "POST", "/v1/customers/refresh", token: try await service.token(.client), body: body)
            #expect(answer.status == 200, "\(answer.text)")
            #expect((answer.json["transactions"] as? [String: Int])?["added"] == 3)
            #expect(try await refresh(service, body).status == 200)
        }
    }

    @Test("of a backend's refreshes eight run, 32 wait and the next is refused; support's wait for none of them")
    func turns() async throws {
        try await ServiceFixture.run { service in
            _ = try service.lapsedCustomer("100")
            let (turns, client) = (service.useCases.refresh.turns, try await service.token(.client))
            @Sendable func ask() async throws -> RawAnswer {
                try await service.ask(
                    "POST", "/v1/customers/refresh", token: client,
                    body: #"{"customer":{"originalTransactionId":"100"}}"#)
            }
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let gates = (0..<8).map { _ in AsyncStream.makeStream(of: Void.self) }
            defer { for gate in gates { gate.continuation.finish() } }
            let held = gates.map { gate in
                Task {
                    try await turns.run {
                        begin.yield()
                        for await _ in gate.stream {}
                    }
                }
            }
            var waiting = begun.makeAsyncIterator()
            for _ in gates { await waiting.next() }
            try await withThrowingTaskGroup(of: RawAnswer.self) { group in
                for _ in 0..<32 { group.addTask { try await ask() } }
                while turns.waiting < 32 { await Task.yield() }
                let refused = try await ask()
                #expect(refused.status == 503 && refused.code == "busy", "\(refused.text)")
                #expect((refused.headers["retry-after"].flatMap(Int.init) ?? 0) > 0)
                let support = try await refresh(service, #"{"customer":{"originalTransactionId":"100"}}"#)
                #expect(support.status == 200, "\(support.text)")
                for gate in gates { gate.continuation.finish() }
                // Those that wait are let in; then some of them may wait too long for a call to Apple.
                var fetched = 0
                for try await answer in group {
                    if answer.status == 200 { fetched += 1 }
                    #expect(
                        answer.status == 200 || answer.json["detail"] as? String != refused.json["detail"] as? String,
                        "\(answer.text)")
                }
                #expect(fetched > 0)
            }
            for task in held { try await task.value }
        }
    }

    @Test("a tester whose purchase history was cleared at Apple may have the introductory offer again")
    func cleared() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            _ = try service.lapsedCustomer("100")
            let client = try await service.token(.client)
            let body = #"{"offerId":"trial","customer":{"appTransactionId":"app-100"}}"#
            _ = try await refresh(service, #"{"customer":{"appTransactionId":"app-100"}}"#)
            let used = try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
            #expect(used.code == "not-eligible", "\(used.text)")
            let installed = Scenario(
                bundleId: "com.example.pro", environment: .localTesting,
                customer: ScenarioCustomer(appTransactionId: "app-100"),
                steps: [.appTransaction(at: .fixed(service.clock.now.adding(months: -5)))])
            let app = try service.appStore.sign(installed, now: service.clock.now).signedAppTransaction
            service.apple.accounts = [PlayedAccount(transactions: [], appTransaction: app)]
            for _ in 0..<2 {
                let cleared = try await refresh(service, #"{"customer":{"originalTransactionId":"100"}}"#)
                #expect((cleared.json["gaps"] as? [Any])?.isEmpty == true, "\(cleared.text)")
                #expect((cleared.json["coverage"] as? [String: Any])?["level"] as? String == "complete")
            }
            #expect(try service.rows("SELECT 1 FROM history_transaction").isEmpty)
            #expect(try service.rows("SELECT 1 FROM history_facts WHERE kind = 'originalTransactionId'").isEmpty)
            let again = try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
            #expect(again.status == 201, "\(again.text)")
        }
    }

    @Test(
        "a request names one customer or one order, and nothing else",
        arguments: [
            ("{}", ""), (#"{"customer":{}}"#, "/customer"), (#"{"orderId":""}"#, "/orderId"),
            (#"{"orderId":"M","customer":{"customerId":"u"}}"#, "/orderId"),
            (#"{"orderId":"\#(String(repeating: "M", count: 65))"}"#, "/orderId"), (#"{"order":"M"}"#, "/order"),
            (
                #"{"customer":{"originalTransactionId":"\#(String(repeating: "1", count: 256))"}}"#,
                "/customer/originalTransactionId"
            ),
            (#"{"customer":{"originalTransactionId":".."}}"#, "/customer/originalTransactionId"),
            (#"{"customer":{"appTransactionId":"."}}"#, "/customer/appTransactionId"),
            (#"{"orderId":".."}"#, "/orderId"),
            (
                #"{"customer":{"appTransactionId":"\#(String(repeating: "ä", count: 129))"}}"#,
                "/customer/appTransactionId"
            ),
        ])
    func wrongRequests(_ body: String, _ pointer: String) async throws {
        try await ServiceFixture.run { service in
            let answer = try await refresh(service, body)
            #expect(answer.status == 400)
            #expect(answer.code == "invalid-request")
            #expect(answer.errors.map { $0["pointer"] as? String ?? "" } == [pointer], "\(answer.text)")
        }
    }

    @Test("somebody unknown is 404: here by a name, at Apple by an id or an order, each in its own words")
    func unknown() async throws {
        try await ServiceFixture.run { service in
            let cases = [
                (#"{"customer":{"customerId":"nobody"}}"#, "no customer found"),
                (
                    #"{"customer":{"originalTransactionId":"4711"}}"#,
                    "Apple knows no such transaction of `com.example.pro` in LocalTesting (4040010: Transaction id not found.)"
                ),
                (#"{"orderId":"MK5"}"#, "Apple knows no order `MK5` of `com.example.pro` in LocalTesting"),
            ]
            for (body, detail) in cases {
                let answer = try await refresh(service, body)
                #expect(answer.status == 404)
                #expect(answer.code == "unknown-customer")
                #expect(answer.json["detail"] as? String == detail)
            }
        }
    }

    @Test("Apple's limit is `busy` until the moment that Apple names")
    func limited() async throws {
        try await ServiceFixture.run { service in
            let end = ServiceFixture.start.milliseconds + 600_000
            service.apple.interpose { _, _ in .error(4_290_000, "Rate limit exceeded.", ["Retry-After": "\(end)"]) }
            let answer = try await refresh(service, #"{"customer":{"originalTransactionId":"100"}}"#)
            #expect(answer.status == 503)
            #expect(answer.code == "busy")
            #expect(answer.headers["retry-after"] == "600")
            #expect((answer.json["detail"] as? String)?.hasPrefix("Apple is limiting requests") == true)
        }
    }

    @Test(
        "what Apple cannot answer is `busy`, what somebody has to set right is `not-ready`, and both say what Apple said",
        arguments: [
            (AppleServer.Reply.error(5_000_000, "oops"), "busy", "Apple's server cannot answer (5000000: oops)"),
            (.answer(503, "<html>"), "busy", "Apple's server cannot answer (status 503)"),
            (.answer(401, ""), "not-ready", "Apple does not accept the key `LOCALTEST1`"),
            (.error(4_040_003, "App not found."), "not-ready", "Apple knows no app `com.example.pro`"),
            (.drop, "not-ready", "ended the connection before the answer was complete"),
            (.answer(200, "{}"), "not-ready", "is not the one Apple documents"),
        ])
    func failures(_ reply: AppleServer.Reply, _ code: String, _ detail: String) async throws {
        try await ServiceFixture.run { service in
            service.apple.interpose { _, _ in reply }
            let answer = try await refresh(service, #"{"customer":{"originalTransactionId":"100"}}"#)
            #expect(answer.status == 503)
            #expect(answer.code == code)
            #expect((answer.json["detail"] as? String)?.contains(detail) == true, "\(answer.text)")
            #expect(answer.headers["retry-after"].flatMap { Int($0) } ?? 0 > 0)
            #expect(try service.rows("SELECT id FROM customer").isEmpty)
        }
    }

    @Test("if nothing of Apple's data is believed the answer is 422 with the place of each")
    func notBelieved() async throws {
        try await ServiceFixture.run { service in
            let foreign = try service.lapsedCustomer("100", app: "com.example.other")
            service.apple.accounts = [PlayedAccount(transactions: foreign.signedTransactions)]
            let answer = try await refresh(service, #"{"customer":{"originalTransactionId":"100"}}"#)
            #expect(answer.status == 422)
            #expect(answer.code == "signed-data-refused")
            #expect(
                answer.errors.map { "\($0["path"] ?? "") \($0["code"] ?? "")" }
                    == (0..<3).map { "/history/signedTransactions/\($0) wrongBundleId" })
        }
    }
}
