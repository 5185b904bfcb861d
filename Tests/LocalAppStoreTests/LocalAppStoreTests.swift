import AppStoreData
import Foundation
import LocalAppStore
import OfferModel
import OfferSigning
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite struct LocalAppStoreTests {
    private let root: LocalRoot
    private let story: Scenario

    init() throws {
        root = try LocalRoot.make(now: now)
        story = scenario([
            .appTransaction(at: try at("-P200D")), try trial("-P200D"), .renew(times: 3),
            .cancel(at: try at("-P110D")), .expire(), try buy("-P5D", group: "21500002"),
        ])
    }

    private func reader(_ environment: AppStoreEnvironment = .localTesting) throws -> SignedDataReader {
        let verifier = try AppStoreChainVerifier(
            additionalRoots: [.localTesting: [root.rootDER], .sandbox: [root.rootDER]])
        return SignedDataReader(
            verifier: verifier, bundleId: "com.example.pro", appAppleId: 1_234_567_890, environment: environment)
    }

    private func refusal<Value>(_ read: () throws(SignedDataRefusal) -> Value) -> SignedDataRefusal.Code? {
        do {
            _ = try read()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("signed data reads back as it was played", arguments: [AppStoreEnvironment.localTesting, .sandbox])
    func roundTrip(environment: AppStoreEnvironment) throws {
        var story = story
        story.environment = environment
        let played = try PlayedScenario(playing: story, now: now)
        let signed = try LocalAppStore(root: root).sign(story, now: now)
        let reader = try reader(environment)
        #expect(played.transactions.count == 5)
        #expect(played.renewalInfos.count == 2)
        #expect(
            try signed.signedTransactions.map { try reader.transaction($0, now: now).payload } == played.transactions)
        #expect(
            try signed.signedRenewalInfo.map { try reader.renewalInfo($0, now: now).payload } == played.renewalInfos)
        let appTransaction = try #require(signed.signedAppTransaction)
        #expect(try reader.appTransaction(appTransaction, now: now).payload == played.appTransaction)
        #expect(signed.notifications.count == played.notifications.count)
        for (jws, expected) in zip(signed.notifications, played.notifications) {
            var notification = try reader.notification(jws, now: now).payload
            let transaction = try #require(notification.data?.signedTransactionInfo)
            let renewalInfo = try #require(notification.data?.signedRenewalInfo)
            #expect(try reader.transaction(transaction, now: now).payload == expected.transaction)
            #expect(try reader.renewalInfo(renewalInfo, now: now).payload == expected.renewalInfo)
            notification.data?.signedTransactionInfo = nil
            notification.data?.signedRenewalInfo = nil
            #expect(notification == expected.notification)
        }
    }

    @Test("verified data carries its exact bytes, its date and itself")
    func verified() throws {
        let signed = try LocalAppStore(root: root).sign(story, now: now)
        let jws = try #require(signed.signedTransactions.first)
        let verified = try reader().transaction(jws, now: now)
        #expect(verified.jws == jws)
        #expect(verified.signedDate == now)
        #expect(verified.payloadBytes == (try CompactJWS(parsing: jws)).payload)
        let appTransaction = try #require(signed.signedAppTransaction)
        #expect(try reader().appTransaction(appTransaction, now: now).signedDate == now)
    }

    @Test("payloads are signed with Apple's member names, sorted")
    func payloadBytes() throws {
        let signed = try LocalAppStore(root: root).sign(scenario([try buy("-P10D")]), now: now)
        let transaction = try CompactJWS(parsing: try #require(signed.signedTransactions.first))
        #expect(
            String(decoding: transaction.payload, as: UTF8.self) == """
                {"appAccountToken":"0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b","appTransactionId":"7040000003",\
                "bundleId":"com.example.pro","currency":"USD","environment":"LocalTesting",\
                "expiresDate":1795305600000,"inAppOwnershipType":"PURCHASED","originalPurchaseDate":1792627200000,\
                "originalTransactionId":"7040000003001","price":9990,"productId":"com.example.pro.monthly",\
                "purchaseDate":1792627200000,"quantity":1,"signedDate":1793491200000,"storefront":"USA",\
                "subscriptionGroupIdentifier":"21500001","transactionId":"7040000003001",\
                "transactionReason":"PURCHASE","type":"Auto-Renewable Subscription"}
                """)
        let renewalInfo = try CompactJWS(parsing: try #require(signed.signedRenewalInfo.first))
        #expect(
            String(decoding: renewalInfo.payload, as: UTF8.self) == """
                {"appAccountToken":"0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b","appTransactionId":"7040000003",\
                "autoRenewProductId":"com.example.pro.monthly","autoRenewStatus":1,"currency":"USD",\
                "environment":"LocalTesting","isInBillingRetryPeriod":false,"originalTransactionId":"7040000003001",\
                "productId":"com.example.pro.monthly","recentSubscriptionStartDate":1792627200000,\
                "renewalDate":1795305600000,"renewalPrice":9990,"signedDate":1793491200000}
                """)
    }

    @Test("signed again, the ids and payloads are the same and only the signatures differ")
    func signedAgain() throws {
        let store = LocalAppStore(root: root)
        let first = try store.sign(story, now: now)
        let second = try store.sign(story, now: now)
        #expect(
            try first.signedTransactions.map { try CompactJWS(parsing: $0).payload }
                == second.signedTransactions.map { try CompactJWS(parsing: $0).payload })
    }

    @Test("a local root is refused in Production, whatever its data say (invariant 6)")
    func neverProduction() throws {
        let signed = try LocalAppStore(root: root).sign(story, now: now)
        let local = try #require(signed.signedTransactions.first)
        let forged = try root.sign(
            payload: Array(
                String(decoding: try CompactJWS(parsing: local).payload, as: UTF8.self)
                    .replacing("LocalTesting", with: "Production").utf8))
        let production = try reader(.production)
        for jws in [local, forged] {
            #expect(
                refusal { () throws(SignedDataRefusal) in try production.transaction(jws, now: now) }
                    == .untrustedRoot)
        }
        let localReader = try reader()
        #expect(
            refusal { () throws(SignedDataRefusal) in try localReader.transaction(forged, now: now) }
                == .wrongEnvironment)
        let rejected = #expect(throws: CertificateError.self) {
            try AppStoreChainVerifier(additionalRoots: [.production: [root.rootDER]])
        }
        #expect(rejected?.code == .rootNotAllowed)
    }

    @Test("a local root that is trusted for nothing is refused")
    func untrusted() throws {
        let signed = try LocalAppStore(root: root).sign(story, now: now)
        let jws = try #require(signed.signedTransactions.first)
        let stranger = SignedDataReader(
            verifier: try AppStoreChainVerifier(additionalRoots: [:]), bundleId: "com.example.pro", appAppleId: nil,
            environment: .localTesting)
        #expect(
            refusal { () throws(SignedDataRefusal) in try stranger.transaction(jws, now: now) } == .untrustedRoot)
    }
}
