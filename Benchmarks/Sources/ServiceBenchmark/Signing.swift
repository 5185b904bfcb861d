import Foundation
import OfferModel
import OfferSigning
import OpenSSLCrypto
import Rounds

/// One artefact of each kind, signed again and again with one key.
struct Signing {
    private static let count = 20_000
    private let key: OpenSSLSigningKey
    private let nonce = LowercaseUUID(version4From: [UInt8](repeating: 7, count: 16))
    private let now = Instant(milliseconds: 1_795_000_000_123)

    /// - Parameter token: a PKCS #11 URI, the library and the PIN of a key in a token; nothing for the folder's key.
    init(folder: URL, token: [String] = []) throws {
        guard token.count == 3 else {
            key = try Self.key(in: folder)
            return
        }
        key = try OpenSSLSigningKey(
            token: token[0], module: token[1], pin: .text(Array(token[2].utf8)), keyId: "BENCH00001")
    }

    static func key(in folder: URL) throws -> OpenSSLSigningKey {
        try OpenSSLSigningKey(
            file: folder.appending(path: "keys/SubscriptionKey_BENCH00001.p8").path, keyId: "BENCH00001")
    }

    func measure() throws {
        let customer = TransactionReference.transaction("100000000064")
        let v1 = PromotionalOfferV1(
            bundleId: "com.example.pro", productId: "com.example.pro.monthly", offerIdentifier: "comeback50",
            nonce: nonce, timestamp: now)
        let v2 = StoreKitRequest(
            issuerId: Bench.issuer, bundleId: "com.example.pro", productId: "com.example.pro.monthly",
            offer: .promotional("comeback50", customer: customer), nonce: nonce, timestamp: now)
        var introductory = v2
        introductory.offer = .introductory(isAllowed: true, customer: customer)
        try measure("sign v1") { _ = try v1.signed(by: key) }
        try measure("sign v2") { _ = try v2.signed(by: key) }
        try measure("sign introductory") { _ = try introductory.signed(by: key) }
    }

    private func measure(_ name: String, _ sign: () throws -> Void) throws {
        var rounds = Rounds()
        for _ in 0..<Self.count { try rounds.measure(sign) }
        print("\(name)\t\(rounds.text())")
    }
}
