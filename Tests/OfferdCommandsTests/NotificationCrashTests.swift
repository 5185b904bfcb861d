import AsyncHTTPClient
import Foundation
import LocalAppStore
import OfferModel
import OfferSigning
import OfferStore
import OfferTestSupport
import Testing

/// `OFFERD_NOTIFICATIONS=10000` sends that many, `OFFERD_NOTIFICATIONS_SEED=7` kills at other moments.
@Suite("A server that dies while Apple sends notifications")
struct NotificationCrashTests {
    private static let path = "/v1/app-store/com.example.pro/LocalTesting/notifications"
    private static let clients = 32

    /// A notification as Apple has it.
    private struct Letter: Sendable, Hashable {
        var uuid: String
        var jws: String
    }

    @Test(
        "killed at random points again and again, it has every notification that was answered 200, none twice, and in the end exactly the history signed in them (invariants 1 and 7)",
        .timeLimit(.minutes(10)))
    func killed() async throws {
        var generator = SeededGenerator(seed: Self.seed)
        let installation = try await Installation()
        let letters = try Self.letters(installation, Self.count)
        let client = HTTPClient(configuration: Self.configuration)
        var unanswered = letters.shuffled(using: &generator)
        var answered: Set<String> = []
        var (kills, lost, repeats) = (0, 0, 0)
        while !unanswered.isEmpty {
            let server = try await RunningServer.start(installation)
            let patience = Int.random(in: 0...Self.mostBetweenKills, using: &generator)
            let sent = Array(unanswered.prefix(patience + Self.clients))
            let round = await Self.deliver(sent, until: patience, server, client)
            kills += 1
            lost += sent.count - round.count
            for (letter, answer) in round {
                #expect(answer.status == 200, "seed \(Self.seed), kill \(kills): \(answer.json)")
                if answer.status == 200 { answered.insert(letter.uuid) }
                if answer.json["repeated"] as? Bool == true { repeats += 1 }
            }
            let stored = try await Self.stored(installation)
            #expect(Set(stored).count == stored.count, "seed \(Self.seed), kill \(kills): a notification twice")
            let missing = answered.subtracting(stored)
            #expect(missing.isEmpty, "seed \(Self.seed), kill \(kills): answered 200 and lost: \(missing)")
            if !missing.isEmpty { break }
            // Apple sends again what was not answered, and now and then what was.
            let again = letters.filter { answered.contains($0.uuid) }.shuffled(using: &generator).prefix(2)
            unanswered = unanswered.filter { !answered.contains($0.uuid) }
            if !unanswered.isEmpty { unanswered = (again + unanswered).shuffled(using: &generator) }
        }
        try await client.shutdown()
        try await Self.check(letters, installation)
        #expect(kills > 10 && lost > 0)
        print(
            "\(letters.count) notifications, seed \(Self.seed): \(kills) kills, \(lost) without an answer, \(repeats) repeats"
        )
    }

    /// Sends all at once, kills the server once so many answers are there, and gives those that arrived whole.
    private static func deliver(
        _ letters: [Letter], until patience: Int, _ server: RunningServer, _ client: HTTPClient
    ) async -> [(Letter, RunningServer.Answer)] {
        await withTaskGroup(of: (Letter, RunningServer.Answer)?.self) { group in
            var waiting = letters.makeIterator()
            func sendNext() {
                guard let letter = waiting.next() else { return }
                group.addTask {
                    let answer = try? await server.ask(
                        "POST", path, token: "", body: #"{"signedPayload":"\#(letter.jws)"}"#, client: client)
                    return answer.map { (letter, $0) }
                }
            }
            for _ in 0..<clients { sendNext() }
            var answers: [(Letter, RunningServer.Answer)] = []
            var isDead = patience == 0
            if isDead { await server.kill() }
            for await answer in group {
                if let answer { answers.append(answer) }
                if isDead { continue }
                if answers.count >= patience {
                    isDead = true
                    await server.kill()
                } else {
                    sendNext()
                }
            }
            if !isDead { await server.kill() }
            return answers
        }
    }

    /// Customers of one subscription each, with ten notifications each, some of them about a purchase that another
    /// is about too.
    private static func letters(_ installation: Installation, _ count: Int) throws -> [Letter] {
        let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        var letters: [Letter] = []
        var customer = 0
        while letters.count < count {
            customer += 1
            let bought = now.adding(milliseconds: -60 * Instant.Duration.day)
            func at(_ days: Int64) -> ScenarioTime { .fixed(bought.adding(milliseconds: days * Instant.Duration.day)) }
            let scenario = Scenario(
                bundleId: "com.example.pro", environment: .localTesting,
                customer: ScenarioCustomer(
                    appTransactionId: AppTransactionId("\(8_000_000 + customer)"),
                    originalTransactionId: TransactionId("\(7_000_000 + customer)")),
                steps: [
                    .trial(
                        product: "com.example.pro.weekly", group: "21500001", at: at(0), length: Period(days: 7),
                        period: Period(days: 7), price: Money(milliunits: 2_990, currency: "USD")),
                    .renew(times: 3),
                    .cancel(at: at(24)), .enableRenewal(at: at(25)),
                    .failToRenew(grace: Period(days: 6)), .recover(at: at(30)),
                    .cancel(at: at(31)), .expire(),
                ])
            letters += try installation.appStore.sign(scenario, now: now).notifications.map { jws in
                Letter(uuid: try text("notificationUUID", in: try payload(jws)), jws: jws)
            }
        }
        return Array(letters.prefix(count))
    }

    private static func payload(_ jws: String) throws -> [UInt8] { try CompactJWS(parsing: jws).payload }

    private static func text(_ member: String, in payload: [UInt8]) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]
        return try #require((object?[member] ?? (object?["data"] as? [String: Any])?[member]) as? String)
    }

    private static func stored(_ installation: Installation) async throws -> [String] {
        try await installation.reading { transaction in
            try transaction.rows(Statement("SELECT uuid FROM notification")).map { try $0.value(0) }
        }
    }

    /// The content of a payload, apart from its signed date.
    private static func statement(_ payload: [UInt8]) throws -> NSDictionary {
        var object = try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
        object["signedDate"] = nil
        return object as NSDictionary
    }

    /// Holds the history to what is signed in the notifications: each statement is there, each payload once. Of copies
    /// that say the same, those between the first and the newest are not kept.
    private static func check(_ letters: [Letter], _ installation: Installation) async throws {
        let (uuids, transactions, infos, customers, broken) = try await installation.reading { transaction in
            func payloads(_ table: String) throws -> [[UInt8]] {
                try transaction.rows(Statement("SELECT payload FROM \(table)")).map { try $0.value(0) }
            }
            return (
                try transaction.rows(Statement("SELECT uuid FROM notification")).map {
                    try $0.value(0, as: String.self)
                },
                try payloads("history_transaction"), try payloads("history_renewal_info"),
                try transaction.rows(Statement("SELECT id FROM customer WHERE merged_into IS NULL")).count,
                try transaction.rows(Statement("PRAGMA foreign_key_check")).count
                    + transaction.rows(
                        Statement("SELECT 1 FROM pragma_integrity_check WHERE integrity_check <> 'ok'")
                    ).count
            )
        }
        #expect(broken == 0)
        #expect(uuids.count == letters.count && Set(uuids) == Set(letters.map(\.uuid)))
        let bytes = try letters.map { try payload($0.jws) }
        for (member, stored) in [("signedTransactionInfo", transactions), ("signedRenewalInfo", infos)] {
            let signed = Set(try bytes.map { try payload(try text(member, in: $0)) })
            #expect(stored.count == Set(stored).count && Set(stored).isSubset(of: signed), "\(member)")
            #expect(try Set(stored.map(statement)) == Set(signed.map(statement)), "\(member)")
        }
        let subscriptions = Set(
            try bytes.map {
                try text("originalTransactionId", in: try payload(try text("signedTransactionInfo", in: $0)))
            })
        #expect(customers == subscriptions.count)
    }

    private static let count = setting("OFFERD_NOTIFICATIONS").flatMap { Int($0) } ?? 500
    private static let seed = setting("OFFERD_NOTIFICATIONS_SEED").flatMap { UInt64($0) } ?? 24
    /// About forty kills however many there are, and at least one within any 500.
    private static let mostBetweenKills = min(500, count / 20)

    private static func setting(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    private static var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = clients
        // A request must never be sent again behind the test's back.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }
}
