import AsyncHTTPClient
import Foundation
import OfferModel
import OfferStore
import Synchronization
import Testing

@Suite("A server that dies")
struct CrashTests {
    /// What a client holds in its hands when the server dies.
    private struct Received: Sendable, Hashable {
        var issuedOfferId: String
        var v1: String
        var v2: String
    }

    @Test(
        "killed under load five times, it has every signature a client received, and limits hold (invariants 1 and 2)")
    func killedUnderLoad() async throws {
        let installation = try await Installation()
        let client = HTTPClient(configuration: Self.configuration)
        var all: Set<Received> = []
        for round in 0..<5 {
            let server = try await RunningServer.start(installation)
            if round == 0 { try await TestCatalog.apply(installation, server, client: client) }
            let received = try await load(installation, server, round: round, client: client)
            #expect(received.count >= Self.answersBeforeDeath)
            all.formUnion(received)
        }
        try await client.shutdown()
        let survivors = try await RunningServer.start(installation)
        let (stored, slots) = try await installation.reading { transaction in
            let signatures = try transaction.rows(Statement("SELECT issued_offer_id, artefact FROM signature"))
            let perCustomer = try transaction.rows(
                Statement("SELECT count(*) FROM issued_offer WHERE offer_id = 'comeback' GROUP BY customer_id"))
            return (
                try Set(signatures.map { [try $0.value(0, as: String.self), try $0.value(1, as: String.self)] }),
                try perCustomer.map { try $0.value(0, as: Int.self) }
            )
        }
        for one in all {
            #expect(stored.contains([one.issuedOfferId, one.v1]))
            #expect(stored.contains([one.issuedOfferId, one.v2]))
        }
        #expect(!slots.isEmpty)
        #expect(slots.allSatisfy { $0 == 1 })
        #expect(await survivors.stop() == 0)
    }

    private static let customers = 40
    private static let answersBeforeDeath = 15

    /// Asks for many customers at once, kills the server once some have their answers, and gives what arrived whole.
    private func load(
        _ installation: Installation, _ server: RunningServer, round: Int, client: HTTPClient
    ) async throws -> Set<Received> {
        let token = try installation.token(.client)
        let bodies = try (0..<Self.customers).map { index in
            let id = round * Self.customers + index
            return """
                {"offerId":"comeback","formats":["v1","v2"],"customer":{"originalTransactionId":\
                "\(Installation.originalTransactionId(id))"},\(try installation.lapsedCustomer(id))}
                """
        }
        return try await withThrowingTaskGroup(of: Received?.self) { group in
            for body in bodies {
                group.addTask {
                    guard
                        let answer = try? await server.ask(
                            "POST", "/v1/issued-offers", token: token, body: body, client: client),
                        answer.status == 201
                    else { return nil }
                    return Self.received(answer)
                }
            }
            var received: Set<Received> = []
            var isDead = false
            for try await one in group {
                if let one { received.insert(one) }
                if received.count >= Self.answersBeforeDeath, !isDead {
                    isDead = true
                    await server.kill()
                }
            }
            if !isDead { await server.kill() }
            return received
        }
    }

    private static func received(_ answer: RunningServer.Answer) -> Received? {
        let signatures = answer.json["signatures"] as? [String: Any]
        guard let id = answer.json["issuedOfferId"] as? String,
            let v1 = (signatures?["v1"] as? [String: Any])?["signature"] as? String,
            let v2 = (signatures?["v2"] as? [String: Any])?["jws"] as? String
        else { return nil }
        return Received(issuedOfferId: id, v1: v1, v2: v2)
    }

    private static var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = customers
        // A request must never be sent again behind the test's back.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }
}
