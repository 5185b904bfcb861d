import AppStoreData
import Foundation
import OfferModel
import OpenSSLCrypto
import Rounds

/// Signed transactions read to their payloads: with the chain checked anew each time, and with a chain that is known.
struct Verifying {
    private let signed: [String]
    private let root: [UInt8]

    init(folder: URL) throws {
        let text = String(decoding: try Data(contentsOf: folder.appending(path: "signed.txt")), as: UTF8.self)
        signed = text.split(separator: "\n").map { String($0) }
        root = Array(try Data(contentsOf: folder.appending(path: "root/root.der")))
    }

    func measure() throws {
        try measure("verify, fresh chain", cacheLifetime: .zero, count: 1_000)
        try measure("verify, cached chain", cacheLifetime: .seconds(900), count: 20_000)
    }

    private func measure(_ name: String, cacheLifetime: Duration, count: Int) throws {
        let reader = SignedDataReader(
            verifier: try AppStoreChainVerifier(additionalRoots: [.sandbox: [root]], cacheLifetime: cacheLifetime),
            bundleId: "com.example.pro", appAppleId: nil, environment: .sandbox)
        let now = Bench.now()
        _ = try reader.transaction(signed[0], now: now)
        var rounds = Rounds()
        for number in 0..<count {
            try rounds.measure { _ = try reader.transaction(signed[number % signed.count], now: now) }
        }
        print("\(name)\t\(rounds.text())")
    }
}
