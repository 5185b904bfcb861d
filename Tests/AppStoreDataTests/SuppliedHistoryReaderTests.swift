import AppStoreData
import Foundation
import OfferModel
import OfferSigning
import Testing

@Suite("Reading a supplied history")
struct SuppliedHistoryReaderTests {
    private func scope(of name: String) throws -> Scope {
        let transaction = try Transaction(payload: try Payloads.bytes(name))
        let environment = try #require(transaction.environment.flatMap { AppStoreEnvironment(rawValue: $0) })
        return Scope(bundleId: transaction.bundleId, environment: environment)
    }

    private func refusal(_ scope: Scope, _ change: (inout SuppliedHistory) -> Void) -> SuppliedPayloadRefusal? {
        var history = SuppliedHistory()
        change(&history)
        do throws(SuppliedPayloadRefusal) {
            _ = try SuppliedHistoryReader(scope: scope).read(history)
            return nil
        } catch {
            return error
        }
    }

    @Test("the payloads are those that the readers of signed data find, with the bytes they came in")
    func read() throws {
        let transaction = try Payloads.bytes(Payloads.transaction)
        let info = try Payloads.bytes(Payloads.renewalInfo)
        let app = try Payloads.bytes(Payloads.appTransaction)
        var history = SuppliedHistory()
        history.transactions = [transaction]
        history.renewalInfos = [info]
        history.appTransaction = app
        let decoded = try SuppliedHistoryReader(scope: try scope(of: Payloads.transaction)).read(history)
        #expect(decoded.transactions == [DecodedPayload(try Transaction(payload: transaction), bytes: transaction)])
        #expect(decoded.renewalInfos == [DecodedPayload(try RenewalInfo(payload: info), bytes: info)])
        #expect(decoded.appTransaction == DecodedPayload(try AppTransaction(payload: app), bytes: app))
    }

    @Test("a refusal names the list, the place and the member, also a nested one")
    func places() throws {
        let scope = try scope(of: Payloads.transaction)
        let good = try Payloads.bytes(Payloads.transaction)
        let cases: [(changes: [String: Any], path: [String])] = [
            (["purchaseDate": "yesterday"], ["purchaseDate"]), (["purchaseDate": NSNull()], ["purchaseDate"]),
            (["signedDate": NSNull()], ["signedDate"]), (["signedDate": -1], ["signedDate"]),
            (["storefront": "U\u{0}A"], ["storefront"]), (["transactionId": NSNull()], []),
            (["commitmentInfo": ["commitmentPrice": "much"]], ["commitmentInfo", "commitmentPrice"]),
            (["commitmentInfo": 1], ["commitmentInfo"]), (["bundleId": "com.example.another"], ["bundleId"]),
            (["environment": "Moon"], ["environment"]),
        ]
        for (changes, path) in cases {
            let bad = try Payloads.bytes(Payloads.transaction, set: changes)
            let found = refusal(scope) { $0.transactions = [good, bad] }
            #expect(found?.path == ["transactions", "1"] + path, "\(changes)")
        }
        let info = try Payloads.bytes(Payloads.renewalInfo, set: ["autoRenewStatus": "on"])
        #expect(
            refusal(scope, { $0.renewalInfos = [info] })?.path
                == ["renewalInfos", "0", "autoRenewStatus"])
        let app = try Payloads.bytes(Payloads.appTransaction, set: ["receiptType": "Moon"])
        #expect(
            refusal(scope, { $0.appTransaction = app })?.path == ["appTransaction", "receiptType"])
    }

    @Test("a payload that names no environment is taken, one of another app is refused by both names")
    func claims() throws {
        let scope = try scope(of: Payloads.transaction)
        let silent = try Payloads.bytes(Payloads.transaction, set: ["environment": NSNull()])
        #expect(refusal(scope, { $0.transactions = [silent] }) == nil)
        let foreign = try Payloads.bytes(Payloads.transaction, set: ["bundleId": "com.example.another"])
        let found = refusal(scope) { $0.transactions = [foreign] }?.refusal
        #expect(found?.code == .wrongBundleId)
        #expect(
            found?.detail == "`com.example.another` is another app than `\(scope.bundleId)`, which is asked about")
    }
}
