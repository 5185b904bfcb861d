import AppStoreData
import Foundation
import OfferModel
import Testing

/// One file of `Fixtures/receipts`: an answer of verifyReceipt, and what it says.
struct ReceiptCase {
    let name: String
    let says: String
    let input: [UInt8]
    let transactions: [Transaction]
    let renewalInfos: [RenewalInfo]
    let skipped: Int
    let customerId: CustomerId?
    let appAccountToken: AppAccountToken?
    let states: [State]

    /// What is known of a group at an instant.
    struct State: Decodable {
        let at: Int64
        let group: String
        let state: String?
        let reason: String?
        let accessEnds: Int64?
    }

    /// Every file, by name.
    static func all() throws -> [ReceiptCase] {
        let folder = try #require(Bundle.module.url(forResource: "Fixtures/receipts", withExtension: nil))
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.lastPathComponent < $1.lastPathComponent }.map(ReceiptCase.init)
    }

    private init(_ file: URL) throws {
        name = file.deletingPathExtension().lastPathComponent
        let members = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any], "\(file)")
        says = try #require(members["says"] as? String)
        input = try Self.bytes(try #require(members["input"]))
        transactions = try #require(members["transactions"] as? [Any]).map { try Transaction(payload: Self.bytes($0)) }
        renewalInfos = try #require(members["renewalInfos"] as? [Any]).map { try RenewalInfo(payload: Self.bytes($0)) }
        skipped = try #require(members["skipped"] as? Int)
        customerId = (members["customerId"] as? String).map { CustomerId($0) }
        appAccountToken = (members["appAccountToken"] as? String).flatMap { AppAccountToken($0) }
        states = try JSONDecoder().decode([State].self, from: Data(Self.bytes(try #require(members["states"]))))
    }

    static func bytes(_ object: Any) throws -> [UInt8] {
        Array(try JSONSerialization.data(withJSONObject: object))
    }

    /// The answer as the reader for the example app in the sandbox takes it.
    func read(now: Instant = Instant(milliseconds: 1_717_200_000_000)) throws -> ReadReceipt {
        try ReceiptReader(scope: .example).read(input, now: now)
    }
}

extension Scope {
    static let example = Scope(bundleId: "com.example.pro", environment: .sandbox)
}

extension History {
    /// The history that an answer makes by itself.
    init(_ receipt: ReadReceipt) {
        self.init(
            transactions: receipt.transactions.enumerated().map { place, transaction in
                Recorded(
                    payload: transaction, payloadBytes: Array("\(place)".utf8), provenance: .receipt,
                    sequence: Int64(place))
            },
            renewalInfos: receipt.renewalInfos.enumerated().map { place, info in
                Recorded(
                    payload: info, payloadBytes: Array("\(place)".utf8), provenance: .receipt,
                    sequence: Int64(1_000 + place))
            })
    }
}
