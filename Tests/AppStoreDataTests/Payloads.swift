import AppStoreData
import Foundation
import OfferModel
import OfferSigning
import Testing

/// The fixture payloads: Apple's decoded payloads with every field of its documentation.
enum Payloads {
    static let transaction = "transaction"
    static let renewalInfo = "renewal-info"
    static let appTransaction = "app-transaction"

    static func bytes(_ name: String) throws -> [UInt8] {
        let url = try #require(Bundle.module.url(forResource: "Fixtures/\(name)", withExtension: "json"))
        return Array(try Data(contentsOf: url))
    }

    /// A fixture with some members set, or removed where the value is `NSNull`.
    static func bytes(_ name: String, set changes: [String: Any]) throws -> [UInt8] {
        let object = try JSONSerialization.jsonObject(with: Data(try bytes(name)))
        var members = try #require(object as? [String: Any])
        for (key, value) in changes {
            members[key] = value is NSNull ? nil : value
        }
        return Array(try JSONSerialization.data(withJSONObject: members))
    }
}

/// What reading throws, or `nil` if it does not throw.
func refusal<Value>(_ read: () throws(SignedDataRefusal) -> Value) -> SignedDataRefusal? {
    do {
        _ = try read()
        return nil
    } catch {
        return error
    }
}

/// The name of a kind in the fixtures.
enum Kind: String, Decodable {
    case transaction
    case renewalInfo
    case appTransaction

    var fixture: String {
        switch self {
        case .transaction: Payloads.transaction
        case .renewalInfo: Payloads.renewalInfo
        case .appTransaction: Payloads.appTransaction
        }
    }

    func read(_ bytes: [UInt8]) throws(SignedDataRefusal) {
        switch self {
        case .transaction: _ = try Transaction(payload: bytes)
        case .renewalInfo: _ = try RenewalInfo(payload: bytes)
        case .appTransaction: _ = try AppTransaction(payload: bytes)
        }
    }
}
