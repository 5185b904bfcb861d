import Foundation
import LocalAppStore
import OfferModel
import OfferSigning
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("POST /v1/signature-checks over a real socket")
struct SignatureCheckTests {
    private static let token = "0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"

    /// The values of an issued offer that an app passes to StoreKit.
    private struct Issued {
        var v1: [String: Any]
        var jws: String
    }

    private func issue(_ service: ServiceFixture, more: String = "") async throws -> Issued {
        let signed = try service.lapsedCustomer("100")
        let answer = try await service.ask(
            "POST", "/v1/issued-offers", token: try await service.token(.client),
            body: """
                {"offerId":"comeback","formats":["v1","v2"],"historyComplete":true,\
                "customer":{"originalTransactionId":"100","appAccountToken":"\(Self.token)"},\
                "signedTransactions":[\(signed.signedTransactions.map { "\"\($0)\"" }.joined(separator: ","))],\
                "signedRenewalInfo":[\(signed.signedRenewalInfo.map { "\"\($0)\"" }.joined(separator: ","))]\(more)}
                """)
        let signatures = try #require(answer.json["signatures"] as? [String: [String: Any]], "\(answer.text)")
        var v1 = try #require(signatures["v1"])
        v1.merge(["format": "v1", "productId": "monthly", "offerIdentifier": "comeback50"]) { $1 }
        return Issued(v1: v1, jws: try #require(signatures["v2"]?["jws"] as? String))
    }

    private func check(_ service: ServiceFixture, _ passed: [String: Any], scope: Scope = ServiceFixture.scope)
        async throws -> RawAnswer
    {
        let body = try JSONSerialization.data(withJSONObject: passed)
        return try await service.ask(
            "POST", "/v1/signature-checks", token: try await service.token(.support, scope: scope),
            body: String(decoding: body, as: UTF8.self))
    }

    @Test("what the server signed is valid as it was signed; of what the app changed the cause is named")
    func issued() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            for issued in [try await issue(service), try await issue(service, more: #","fresh":true"#)] {
                for passed in [issued.v1, ["format": "v2", "jws": issued.jws, "productId": "monthly"]] {
                    let valid = try await check(service, passed)
                    #expect(valid.status == 200 && valid.text == #"{"causes":[],"verdict":"valid"}"#, "\(valid.text)")
                }
                var passed = issued.v1
                passed["appAccountToken"] = nil
                try await expect([("tokenSignedNotPassed", "certain")], "invalid", of: passed, service)
                passed["timestamp"] = ServiceFixture.start.milliseconds / 1_000
                try await expect(
                    [("timestampInSeconds", "certain"), ("tokenSignedNotPassed", "certain")], "invalid", of: passed,
                    service)
                passed = issued.v1
                passed["productId"] = "yearly"
                try await expect(
                    [("otherProduct", "certain")], "invalid", of: passed, service)
                passed = issued.v1
                passed["keyId"] = "2X9R4HXF34"
                try await expect([("otherKey", "certain")], "invalid", of: passed, service)
                passed["nonce"] = nil
                let unknown = try await check(service, passed)
                #expect(unknown.text == #"{"causes":[],"missing":["nonce"],"verdict":"unknown"}"#, "\(unknown.text)")
            }
        }
    }

    private func expect(
        _ causes: [(code: String, certainty: String)], _ verdict: String, of passed: [String: Any],
        _ service: ServiceFixture, scope: Scope = ServiceFixture.scope
    ) async throws {
        let answer = try await check(service, passed, scope: scope)
        let found = (answer.json["causes"] as? [[String: Any]] ?? []).map {
            "\($0["code"] as? String ?? "") \($0["certainty"] as? String ?? "")"
        }
        #expect(found == causes.map { "\($0.code) \($0.certainty)" }, "\(answer.text)")
        #expect(answer.json["verdict"] as? String == verdict, "\(answer.text)")
    }

    @Test("another app and another environment have other keys and nonces, and their bundle id is found")
    func otherScopes() async throws {
        try await ServiceFixture.run { service in
            for scope in [ServiceFixture.scope, ServiceFixture.otherApp] {
                try await service.applyCatalog(scope: scope)
            }
            let issued = try await issue(service)
            try await expect(
                [("otherKey", "certain"), ("nonceUnknown", "likely")], "invalid", of: issued.v1, service,
                scope: ServiceFixture.otherEnvironment)
            let answer = try await check(service, issued.v1, scope: ServiceFixture.otherApp)
            let codes = (answer.json["causes"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
            #expect(codes == ["otherBundle", "otherKey", "nonceUnknown"], "\(answer.text)")
        }
    }

    @Test("the nonce of a further signing, of a refusal and of an earlier hour is found; others are unknown")
    func nonces() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let first = try await issue(service)
            let refused = try await refusal(service)
            for _ in 0..<2 {
                service.clock.advance(milliseconds: Instant.Duration.hour)
                let again = try await issue(service, more: #","fresh":true"#)
                try await expect([], "valid", of: again.v1, service)
                _ = try await service.refusal()
            }
            try await expect([], "valid", of: first.v1, service)
            try await expect(
                [("notEligible", "certain")], "valid",
                of: ["format": "introductoryEligibility", "jws": refused, "productId": "monthly"], service)
            var passed = first.v1
            for nonce in [
                "019e7044-8800-7000-8000-000000000000", "ffffffff-ffff-7fff-bfff-ffffffffffff",
                "00000000-0000-7000-8000-000000000000", "0f8fad5b-d9cb-469f-a165-70867728950e",
            ] {
                passed["nonce"] = nonce.uppercased()
                let answer = try await check(service, passed)
                let causes = answer.json["causes"] as? [[String: Any]] ?? []
                #expect(causes.allSatisfy { $0["certainty"] as? String == "likely" }, "\(answer.text)")
                #expect(causes.contains { $0["code"] as? String == "nonceUnknown" }, "\(answer.text)")
            }
        }
    }

    /// The JWS with which the trial is withheld from a customer who had it.
    private func refusal(_ service: ServiceFixture) async throws -> String {
        let answer = try await service.ask(
            "POST", "/v1/issued-offers", token: try await service.token(.client),
            body: #"{"offerId":"trial","customer":{"originalTransactionId":"100"}}"#)
        let statement = answer.json["introductoryEligibility"] as? [String: Any]
        return try #require(statement?["jws"] as? String, "\(answer.text)")
    }

    @Test("a redeemed offer and a customer excluded by Apple's rules are likely causes of a valid signature")
    func history() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let issued = try await issue(service)
            let key = try OpenSSLSigningKey(
                file: service.directory.path("com.example.pro.p8"), keyId: "LOCALTEST1")
            let nonce = try #require(LowercaseUUID("0f8fad5b-d9cb-469f-a165-70867728950e"))
            let trial = try StoreKitRequest(
                issuerId: AppleServers.issuerId, bundleId: "com.example.pro", productId: "monthly",
                offer: .introductory(isAllowed: true, customer: .transaction("100")), nonce: nonce,
                timestamp: service.clock.now
            ).signed(by: key)
            try await expect(
                [("nonceUnknown", "likely"), ("notEligible", "likely")], "valid",
                of: ["format": "introductoryEligibility", "jws": trial], service)

            service.clock.advance(milliseconds: Instant.Duration.hour)
            let now = service.clock.now
            let use = try service.edited(try #require(try service.lapsedCustomer("100").signedTransactions.last)) {
                $0["transactionId"] = "100900"
                $0["appAccountToken"] = Self.token
                $0["purchaseDate"] = now.milliseconds
                $0["expiresDate"] = now.adding(months: 1).milliseconds
                $0["signedDate"] = now.milliseconds
                $0["transactionReason"] = "PURCHASE"
                $0["offerType"] = 2
                $0["offerIdentifier"] = "comeback50"
                $0["offerPeriod"] = "P1M"
            }
            let delivered = try await service.ask(
                "POST", "/v1/transactions", token: try await service.token(.client),
                body: #"{"signedTransactions":["\#(use)"]}"#)
            #expect(delivered.status == 200, "\(delivered.text)")
            let answer = try await check(service, issued.v1)
            #expect(
                answer.text.contains("nonceReused") && answer.text.contains(#""verdict":"valid""#), "\(answer.text)")
        }
    }

    @Test("a check changes nothing in the database")
    func writesNothing() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let issued = try await issue(service)
            let tables =
                "SELECT (SELECT max(sequence) FROM audit_event), (SELECT sequence FROM store_state), (SELECT count(*) FROM refusal)"
            _ = try await service.token(.support)
            var passed = issued.v1
            passed["signature"] = Data(repeating: 1, count: 64).base64EncodedString()
            let support = try await service.token(.support)
            let before = try service.rows(tables)
            for body in [issued.v1, passed] {
                let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
                #expect(try await service.ask("POST", "/v1/signature-checks", token: support, body: text).status == 200)
            }
            #expect(try service.rows(tables) == before)
        }
    }

    @Test(
        "a value that is not accepted is a 400 that names its member",
        arguments: [
            ("{}", "/format"), (#"{"format":"v3"}"#, "/format"), (#"{"format":1}"#, "/format"), ("[]", ""),
            (#"{"format":"v1","nonces":""}"#, "/nonces"), (#"{"format":"v1","nonce":"x"}"#, "/nonce"),
            (#"{"format":"v1","timestamp":"1"}"#, "/timestamp"), (#"{"format":"v1","timestamp":1.5}"#, "/timestamp"),
            (#"{"format":"v1","timestamp":-1}"#, "/timestamp"), (#"{"format":"v1","timestamp":1e300}"#, "/timestamp"),
            (#"{"format":"v1","signature":"not base64"}"#, "/signature"),
            (#"{"format":"v1","signature":""}"#, "/signature"),
            (#"{"format":"v1","jws":"a.b.c"}"#, "/jws"), (#"{"format":"v2","jws":"a.b.c"}"#, "/jws"),
            (#"{"format":"v2","jws":"e30.e30"}"#, "/jws"), (#"{"format":"v2","signature":"AAAA"}"#, "/signature"),
            (#"{"format":"v2","jws":"\u0000"}"#, "/jws"), (#"{"format":"v1","productId":"a\nb"}"#, "/productId"),
            (#"{"format":"introductoryEligibility","offerIdentifier":"a"}"#, "/offerIdentifier"),
            ("{\"format\":\"v2\",\"jws\":\"\(String(repeating: "A", count: 8_193))\"}", "/jws"),
        ])
    func refused(_ body: String, _ pointer: String) async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.ask(
                "POST", "/v1/signature-checks", token: try await service.token(.support), body: body)
            #expect(answer.status == 400 && answer.code == "invalid-request", "\(answer.text)")
            let errors = answer.json["errors"] as? [[String: Any]] ?? []
            #expect(errors.first?["pointer"] as? String == pointer, "\(answer.text)")
            #expect((errors.first?["detail"] as? String)?.isEmpty == false)
        }
    }
}
