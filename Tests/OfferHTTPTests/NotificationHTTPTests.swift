import Dispatch
import Foundation
import LocalAppStore
import OfferHTTP
import OfferModel
import OfferStore
import OfferTestSupport
import SQLiteStore
import Testing

@Suite("POST /v1/app-store/{bundleId}/{environment}/notifications")
struct NotificationHTTPTests {
    private static let path = ServiceFixture.notificationsPath

    private func rows(_ service: ServiceFixture) throws -> Int {
        try service.rows("SELECT uuid FROM notification").count
    }

    @Test("a customer's notifications need no key, are answered 200, again too, and are on the customer's page")
    func delivered() async throws {
        try await ServiceFixture.run { service in
            let notifications = try service.lapsedCustomer("100").notifications
            #expect(notifications.count == 5)
            for isRepeat in [false, true] {
                for jws in notifications {
                    let answer = try await service.notify(jws)
                    #expect(answer.status == 200, "\(answer.text)")
                    #expect(answer.headers["content-type"] == "application/json")
                    #expect(answer.json["repeated"] as? Bool == isRepeat)
                    #expect(answer.json["notificationUUID"] as? String != nil)
                }
            }
            #expect(try rows(service) == notifications.count)
            let customer = try await service.ask(
                "GET", "/v1/customers?originalTransactionId=100", token: try await service.token(.support))
            let subscription = (customer.json["subscriptions"] as? [[String: Any]])?.first
            #expect(subscription?["state"] as? String == "expired", "\(customer.text)")
            let transactions = try #require(customer.json["transactions"] as? [[String: Any]])
            #expect(transactions.count == 3)
            #expect(transactions.allSatisfy { $0["provenance"] as? String == "notification" })
        }
    }

    @Test("status 4 without an end of grace is not known to be without access, until a notification says otherwise")
    func openGrace() async throws {
        try await ServiceFixture.run { service in
            let bought = service.clock.now.adding(months: -1).adding(milliseconds: -Instant.Duration.day)
            let failing = Scenario(
                bundleId: "com.example.pro", environment: .localTesting,
                customer: ScenarioCustomer(originalTransactionId: "100"),
                steps: [
                    .buy(
                        product: "monthly", group: "21500001", at: .fixed(bought), period: Period(months: 1),
                        price: Money(milliunits: 9_990, currency: "USD")),
                    .failToRenew(grace: Period(days: 16)),
                ])
            let played = try service.appStore.sign(failing, now: service.clock.now)
            let failed = try #require(played.notifications.last)
            /// The content of the last notification, with another status and without an end of grace.
            func notify(_ status: Int, signedAfter milliseconds: Int64) async throws {
                let signed = service.clock.now.milliseconds + milliseconds
                let jws = try service.edited(failed) { payload in
                    var data = payload["data"] as? [String: Any] ?? [:]
                    data["signedRenewalInfo"] = try? (data["signedRenewalInfo"] as? String).map { info in
                        try service.edited(info) {
                            $0["gracePeriodExpiresDate"] = nil
                            $0["signedDate"] = signed
                        }
                    }
                    data["status"] = status
                    payload["data"] = data
                    payload["signedDate"] = signed
                    payload["notificationUUID"] = "00000000-0000-4000-8000-00000000000\(status)"
                }
                let answer = try await service.notify(jws)
                #expect(answer.status == 200, "\(answer.text)")
            }
            let support = try await service.token(.support)
            func subscription() async throws -> [String: Any] {
                let customer = try await service.ask("GET", "/v1/customers?originalTransactionId=100", token: support)
                return try #require((customer.json["subscriptions"] as? [[String: Any]])?.first, "\(customer.text)")
            }
            for jws in played.notifications.dropLast() { #expect(try await service.notify(jws).status == 200) }
            try await notify(4, signedAfter: 0)
            #expect(try await subscription()["undeterminedBecause"] as? String == "expiryUnknown")
            #expect(try await subscription()["hasAccess"] == nil)
            try await notify(3, signedAfter: 1)
            #expect(try await subscription()["state"] as? String == "inBillingRetryPeriod")
        }
    }

    @Test("an unknown type and subtype is stored and answered 200")
    func unknownType() async throws {
        try await ServiceFixture.run { service in
            let jws = try service.edited(try service.testNotification()) { payload in
                payload["notificationType"] = "新しい"
                payload["subtype"] = "zurück 🎁"
                payload["addedByApple"] = ["x": [1]]
            }
            let answer = try await service.ask(
                "POST", Self.path, body: #"{"signedPayload":"\#(jws)","addedByApple":{"a":[null]}}"#)
            #expect(answer.status == 200 && answer.json["notificationType"] as? String == "新しい", "\(answer.text)")
            #expect(answer.json["outcome"] as? String == "noHistory")
            #expect(try service.rows("SELECT type, subtype FROM notification") == [["新しい", "zurück 🎁"]])
        }
    }

    @Test("one notification delivered a hundred times at once is answered 200 each time and is one row (invariant 7)")
    func together() async throws {
        try await ServiceFixture.run { service in
            let jws = try #require(try service.lapsedCustomer("100").notifications.first)
            let answers = try await withThrowingTaskGroup(of: RawAnswer.self) { group in
                for _ in 0..<100 { group.addTask { try await service.notify(jws) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 })
            #expect(answers.count { $0.json["repeated"] as? Bool == false } == 1)
            #expect(try rows(service) == 1)
            #expect(try service.rows("SELECT 1 FROM history_transaction").count == 1)
        }
    }

    @Test(
        "a body that is none is 400 with the place, and nothing is stored (invariant 10)",
        arguments: [
            ("", "malformedJson", ""), ("[]", "wrongType", ""), ("{}", "missingMember", "/signedPayload"),
            (#"{"signedPayload":null}"#, "missingMember", "/signedPayload"),
            (#"{"signedPayload":7}"#, "wrongType", "/signedPayload"),
            (#"{"signedPayload":["a.b.c"]}"#, "wrongType", "/signedPayload"),
            (#"{"signedPayload":"a","signedPayload":"b"}"#, "duplicateMember", "/signedPayload"),
            (#"{"unified_receipt":{"status":0},"password":"x"}"#, "missingMember", "/signedPayload"),
            ("{\"signedPayload\":\"a\u{0}b\"}", "malformedJson", ""),
        ])
    func bodies(_ body: String, _ code: String, _ pointer: String) async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.ask("POST", Self.path, body: body)
            #expect(answer.status == 400 && answer.code == "invalid-request", "\(answer.text)")
            #expect(answer.errors.first?["code"] as? String == code, "\(answer.text)")
            if !pointer.isEmpty { #expect(answer.errors.first?["pointer"] as? String == pointer) }
            #expect(try rows(service) == 0)
        }
    }

    @Test("unsigned notifications of Version 1 are told how to be signed")
    func version1() async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.ask("POST", Self.path, body: #"{"notification_type":"DID_RENEW"}"#)
            #expect(
                answer.json["hint"] as? String
                    == "choose Version 2 notifications in App Store Connect: those of Version 1 are not signed")
        }
    }

    @Test("256 KiB are read and a byte more is 413; another media type is 415; another method is 405")
    func form() async throws {
        try await ServiceFixture.run { service in
            let most = 256 * 1_024
            let frame = #"{"signedPayload":""}"#.utf8.count
            func ask(_ size: Int) async throws -> RawAnswer {
                try await service.notify(String(repeating: "a", count: size - frame))
            }
            #expect(try await ask(most).code == "signed-data-refused")
            #expect(try await ask(most + 1).code == "too-large")
            let text = try await service.ask(
                "POST", Self.path, body: "{}", headers: [("Content-Type", "text/plain")])
            #expect(text.code == "unsupported-media-type")
            let get = try await service.ask("GET", Self.path)
            #expect(get.status == 405 && get.headers["allow"] == "POST, OPTIONS")
        }
    }

    @Test(
        "a path of no environment is 404, and of an app or environment that may be configured yet 503, so that Apple comes again",
        arguments: [
            ("com.example.nobody/LocalTesting", 503), ("com.example.pro/Production", 503),
            ("com.example.pro/Xcode", 503), ("com.example.pro/localtesting", 404),
            ("COM.example.pro/LocalTesting", 503), ("com.example.pro/%00", 404),
            ("com.example.pro%2FLocalTesting/LocalTesting", 503), ("%ff/LocalTesting", 404),
            ("com.example.pro/Sandbox%20", 404), ("com.example.pro/%4", 404),
            ("com.example.pro%00/LocalTesting", 503),
        ])
    func paths(_ place: String, _ status: Int) async throws {
        try await ServiceFixture.run { service in
            let jws = try service.testNotification()
            let answer = try await service.notify(jws, path: "/v1/app-store/\(place)/notifications")
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.code == (status == 404 ? "not-found" : "not-ready"), "\(answer.text)")
            #expect((answer.headers["retry-after"] == nil) == (status == 404))
            #expect(try rows(service) == 0)
        }
    }

    @Test("a path may be percent-encoded, and means the same")
    func percentEncoded() async throws {
        try await ServiceFixture.run { service in
            let jws = try service.testNotification()
            let path = "/v1/app-store/com%2Eexample.pro/Local%54esting/notifications"
            #expect(try await service.notify(jws, path: path).json["repeated"] as? Bool == false)
            #expect(try await service.notify(jws).json["repeated"] as? Bool == true)
        }
    }

    @Test("data not signed by the root, or of another app or environment, is 422 with the cause (invariant 6)")
    func refused() async throws {
        try await ServiceFixture.run { service in
            let test = try service.testNotification()
            let parts = test.split(separator: ".").map(String.init)
            let otherSignature = try #require(
                try service.testNotification(app: "com.example.other").split(separator: ".").last)
            let cases: [(String, String)] = [
                ("a.b.c", "malformedJws"), ("", "malformedJws"), ("🎁.é.…", "malformedJws"),
                (try service.testNotification(app: "com.example.other"), "wrongBundleId"),
                (try service.testNotification(environment: .sandbox), "wrongEnvironment"),
                (try #require(try service.lapsedCustomer("1").signedTransactions.first), "malformedPayload"),
                ("\(try Self.withoutRoot(parts[0])).\(parts[1]).\(parts[2])", "certificateCount"),
                ("\(parts[0]).\(parts[1]).\(otherSignature)", "badSignature"),
            ]
            for (jws, code) in cases {
                let answer = try await service.notify(jws)
                #expect(answer.status == 422 && answer.code == "signed-data-refused", "\(code): \(answer.text)")
                #expect(answer.errors.map { $0["code"] as? String } == [code], "\(answer.text)")
                #expect(answer.errors.first?["pointer"] as? String == "/signedPayload")
            }
            #expect(try rows(service) == 0 && service.rows("SELECT 1 FROM scope").isEmpty, "nothing was written")
            let refusals = service.log.lines.filter { $0.contains("a notification was refused") }
            #expect(refusals.count == cases.count && refusals.last?.contains("badSignature") == true)
            #expect(!service.log.lines.contains { $0.contains(parts[1]) })
        }
    }

    @Test(
        "what may be accepted later is 503: a date that the clock may yet reach, and data within that this version cannot read"
    )
    func temporarilyRefused() async throws {
        try await ServiceFixture.run { service in
            let ahead = try service.edited(try service.testNotification()) {
                $0["signedDate"] = service.clock.now.milliseconds + 120_000
            }
            let unread = try service.edited(try #require(try service.lapsedCustomer("100").notifications.first)) {
                var data = $0["data"] as? [String: Any] ?? [:]
                data["signedTransactionInfo"] = try? (data["signedTransactionInfo"] as? String).map { transaction in
                    try service.edited(transaction) { $0["quantity"] = "two" }
                }
                $0["data"] = data
            }
            for (jws, words) in [(ahead, "ahead of the clock"), (unread, "quantity")] {
                let answer = try await service.notify(jws)
                #expect(answer.status == 503 && answer.code == "not-ready", "\(answer.text)")
                #expect(answer.text.contains(words) && answer.headers["retry-after"] == "60")
            }
            #expect(try rows(service) == 0)
        }
    }

    /// A protected header with the first two of its three certificates.
    private static func withoutRoot(_ header: String) throws -> String {
        let text = header.replacing("-", with: "+").replacing("_", with: "/")
        let padded = text + String(repeating: "=", count: (4 - text.count % 4) % 4)
        let data = try #require(Data(base64Encoded: padded))
        var members = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        members["x5c"] = Array(try #require(members["x5c"] as? [String]).prefix(2))
        return try JSONSerialization.data(withJSONObject: members).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    @Test("a bit turned anywhere in a notification is refused, and nothing of it is stored (invariants 6 and 10)")
    func turnedBits() async throws {
        try await ServiceFixture.run { service in
            var random = SeededGenerator(seed: 2_424)
            let jws = Array(try #require(try service.lapsedCustomer("100").notifications.first).utf8)
            for round in 0..<120 {
                var bytes = jws
                let place = Int.random(in: bytes.indices, using: &random)
                bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                let answer = try await RawHTTP.send(
                    port: service.port, "POST", Self.path, headers: [("Content-Type", "application/json")],
                    body: Array(#"{"signedPayload":""#.utf8) + bytes + Array(#""}"#.utf8))
                #expect([400, 422].contains(answer.status), "seed 2424, round \(round): \(answer.text)")
            }
            #expect(try rows(service) == 0)
            #expect(try service.rows("SELECT 1 FROM history_transaction").isEmpty)
        }
    }

    @Test("while the database is held the answer is 503 with Retry-After, and the next delivery is taken")
    func locked() async throws {
        try await ServiceFixture.run(patience: .milliseconds(100)) { service in
            let jws = try service.testNotification()
            let answer = try await service.whileLocked { try await service.notify(jws) }
            #expect(answer.status == 503 && answer.code == "busy", "\(answer.text)")
            #expect((answer.headers["retry-after"].flatMap(Int.init) ?? 0) > 0)
            #expect(try await service.notify(jws).json["repeated"] as? Bool == false)
        }
    }

    @Test(
        "beyond the bound strangers are told to come back, and callers with a key never notice (invariant 10)")
    func tooMany() async throws {
        var limits = HTTPLimits.patient
        limits.notifications = 2
        try await ServiceFixture.run(limits: limits) { service in
            let token = try await service.token(.marketing)
            let notifications = try (1...6).map {
                try #require(try service.lapsedCustomer("\($0)").notifications.first)
            }
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let end = DispatchSemaphore(value: 0)
            let held = Task {
                try await service.database.write { _ in
                    begin.yield()
                    end.wait()
                }
            }
            _ = await begun.first { _ in true }
            defer { end.signal() }
            try await withThrowingTaskGroup(of: RawAnswer.self) { group in
                for jws in notifications { group.addTask { try await service.notify(jws) } }
                for _ in 0..<4 {
                    let refused = try #require(try await group.next())
                    #expect(refused.status == 503 && refused.code == "busy")
                    #expect((refused.headers["retry-after"].flatMap(Int.init) ?? 0) > 0)
                }
                #expect(try await service.ask("GET", "/v1/offers", token: token).status == 200)
                end.signal()
                for _ in 0..<2 { #expect(try await group.next()?.status == 200) }
            }
            try await held.value
            for jws in notifications { #expect(try await service.notify(jws).status == 200) }
            #expect(try rows(service) == 6)
        }
    }

    @Test("strangers who do not send their bodies keep no place, so deliveries are taken beside any number of them")
    func slowBodies() async throws {
        var limits = HTTPLimits.patient
        limits.notifications = 1
        try await ServiceFixture.run(limits: limits) { service in
            let port = service.port
            let body = #"{"signedPayload":"\#(try service.testNotification())"}"#
            let answer = try await RawConnection.use(port: port) { connection in
                let slow = try (1...5).map { _ in try RawConnection(port: port) }
                defer { slow.forEach { $0.close() } }
                for stranger in slow {
                    stranger.send(Self.head(Self.path, "Expect: 100-continue\r\nContent-Length: 100"))
                    _ = try stranger.read(until: "100 Continue")
                }
                connection.send(Self.head(Self.path, "Connection: close\r\nContent-Length: \(body.utf8.count)") + body)
                return try RawHTTP.parse(try connection.readToEnd())
            }
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    @Test("of an app that keys.yaml does not have it is said at once, even if the body never comes")
    func unknownBeforeBody() async throws {
        try await ServiceFixture.run { service in
            let answer = try await RawConnection.use(port: service.port) { connection in
                connection.send(
                    Self.head(
                        "/v1/app-store/com.example.nobody/LocalTesting/notifications", "Content-Length: 100"))
                // `type` is the last member of a problem.
                let text = try connection.read(until: #""urn:offerd:problem:not-ready"}"#)
                return try RawHTTP.parse(Array(text.utf8))
            }
            #expect(answer.status == 503 && answer.code == "not-ready", "\(answer.text)")
        }
    }

    private static func head(_ path: String, _ fields: String) -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\(fields)\r\n\r\n"
    }
}
