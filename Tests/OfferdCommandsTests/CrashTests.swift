import AsyncHTTPClient
import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("A server that dies")
struct CrashTests {
    private static let offers = ["a", "b", "c", "d", "e", "f"]
    private static let customers = 40
    /// `OFFERD_KILLS=100` kills it more often.
    private static let rounds = ProcessInfo.processInfo.environment["OFFERD_KILLS"].flatMap(Int.init) ?? 20

    @Test(
        "killed under load again and again, it has every signature a client received, nothing twice, and limits hold (invariants 1 and 2)",
        .timeLimit(.minutes(15)), arguments: [UInt64(6)])
    func killedUnderLoad(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let installation = try await Installation()
        let client = HTTPClient(configuration: Self.configuration)
        let token = try installation.token(.client)
        var received: [LoadRequest: LoadAnswer] = [:]
        var unanswered: [LoadRequest] = []
        for round in 0..<Self.rounds {
            let server = try await RunningServer.start(installation)
            if round == 0 {
                try await TestCatalog.apply(installation, server, TestCatalog.yaml(Self.offers), client: client)
            }
            let requests = unanswered + (try Self.requests(round, installation, &generator))
            let patience = Int.random(in: 0...25, using: &generator)
            let answers = await Self.load(requests, until: patience, server, token, client)
            #expect(answers.count >= patience, "seed \(seed), round \(round)")
            for (request, answer) in answers {
                // Somebody whose first request died with the server is unknown, which is 422.
                #expect(
                    [200, 201, 403, 422, 503].contains(answer.status), "seed \(seed), round \(round): \(answer.text)")
                if answer.status == 503 { continue }
                // Under a key the answer to the retry is the one that was made before the death, to the byte.
                if let earlier = received[request] { #expect(earlier.text == answer.text, "seed \(seed)") }
                received[request] = answer
            }
            unanswered = requests.filter { $0.key != nil && received[$0] == nil }
            // Some of the keys that were answered are used once more.
            let answered = received.keys.filter { $0.key != nil }.sorted { $0.number < $1.number }
            unanswered += answered.shuffled(using: &generator).prefix(3)
            try await check(Array(received.values), installation, "seed \(seed), round \(round)")
        }
        try await client.shutdown()
        // Two a death: how many more fit between two deaths is the machine's affair.
        #expect(received.values.count { $0.status == 201 } > 2 * Self.rounds)
        let survivor = try await RunningServer.start(installation)
        #expect(await survivor.stop() == 0)
    }

    /// What the file holds after a death, against what clients hold in their hands.
    private func check(_ answers: [LoadAnswer], _ installation: Installation, _ place: String) async throws {
        let (rows, broken) = try await installation.reading { transaction in
            (
                try Set(
                    transaction.rows(Statement("SELECT issued_offer_id, nonce, artefact FROM signature")).map { row in
                        IssuedSignature(
                            issuedOffer: try row.value(0), nonce: try row.value(1), artefact: try row.value(2))
                    }),
                try Self.rules.filter { try !transaction.rows(Statement($0.value)).isEmpty }.map(\.key)
            )
        }
        #expect(broken.isEmpty, "\(place)")
        let lost = Set(answers.flatMap(\.signatures)).subtracting(rows)
        #expect(lost.isEmpty, "\(place): \(lost.map(\.issuedOffer))")
    }

    /// Queries for what must not be.
    private static let rules = [
        "a place given twice": "SELECT 1 FROM issued_offer GROUP BY customer_id, offer_id HAVING count(*) > 1",
        "too many signings": "SELECT 1 FROM issued_offer WHERE signings NOT BETWEEN 1 AND 3",
        "an issued offer without its signatures": """
        SELECT 1 FROM issued_offer AS issued
        WHERE 2 * signings <> (SELECT count(*) FROM signature WHERE issued_offer_id = issued.id)
        """,
        "an issued offer without its decisions": """
        SELECT 1 FROM issued_offer AS issued
        WHERE signings <> (SELECT count(*) FROM decision WHERE issued_offer_id = issued.id AND kind <> 'refusal')
        """,
        "a row that refers to none": "PRAGMA foreign_key_check",
        "a damaged file": "SELECT 1 FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
    ]

    /// What is asked in one round: some new customers with their signed data, some known ones, some again, some under
    /// a key.
    private static func requests(
        _ round: Int, _ installation: Installation, _ generator: inout SeededGenerator
    ) throws -> [LoadRequest] {
        try (0..<40).map { index in
            let number = round * 2 + index
            let isNew = index < 2
            let customer = isNew ? number : Int.random(in: 0..<(round * 2 + 2), using: &generator)
            let offer = offers.randomElement(using: &generator) ?? "a"
            let isFresh = Int.random(in: 0..<4, using: &generator) == 0
            let hasKey = Bool.random(using: &generator)
            let data = isNew ? ",\(try installation.lapsedCustomer(customer))" : ""
            return LoadRequest(
                key: hasKey ? "\(round)-\(index)" : nil, number: "\(round)-\(index)",
                body: """
                    {"offerId":"\(offer)","formats":["v1","v2"],"fresh":\(isFresh),"customer":{\
                    "originalTransactionId":"\(Installation.originalTransactionId(customer))"}\(data)}
                    """)
        }
    }

    /// Sends everything at once, kills the server once so many answers are there, and gives those that arrived whole.
    private static func load(
        _ requests: [LoadRequest], until patience: Int, _ server: RunningServer, _ token: String, _ client: HTTPClient
    ) async -> [(LoadRequest, LoadAnswer)] {
        await withTaskGroup(of: (LoadRequest, LoadAnswer)?.self) { group in
            for request in requests {
                group.addTask {
                    let headers = request.key.map { ["Idempotency-Key": $0] } ?? [:]
                    let answer = try? await server.ask(
                        "POST", "/v1/issued-offers", token: token, body: request.body, headers: headers, client: client)
                    return answer.map { (request, LoadAnswer($0)) }
                }
            }
            var answers: [(LoadRequest, LoadAnswer)] = []
            var isDead = false
            if patience == 0 {
                isDead = true
                await server.kill()
            }
            for await answer in group {
                if let answer { answers.append(answer) }
                if answers.count >= patience, !isDead {
                    isDead = true
                    await server.kill()
                }
            }
            if !isDead { await server.kill() }
            return answers
        }
    }

    private static var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = customers
        // A request must never be sent again behind the test's back.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }
}
