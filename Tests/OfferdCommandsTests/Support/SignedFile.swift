import Foundation
import OfferTestSupport

extension PlayedAppStore {
    private struct History: Decodable {
        var signedTransactions: [String]
        var signedRenewalInfo: [String]
        var signedAppTransaction: String?
    }

    private struct Notification: Decodable {
        var signedPayload: String
    }

    /// Lets Apple know what `offerd dev sign` printed: a history, or notifications if the file is one of lines.
    func load(signed path: String) throws {
        let data = try Data(contentsOf: URL(filePath: path))
        guard !path.hasSuffix(".jsonl") else {
            return notifications += try data.split(separator: UInt8(ascii: "\n")).map {
                try JSONDecoder().decode(Notification.self, from: Data($0)).signedPayload
            }
        }
        let history = try JSONDecoder().decode(History.self, from: data)
        accounts.append(
            PlayedAccount(
                transactions: history.signedTransactions, renewalInfos: history.signedRenewalInfo,
                appTransaction: history.signedAppTransaction))
    }
}
