import Foundation
import LocalAppStore
import OfferTestSupport

/// The output of `offerd dev sign`.
struct SignedFile {
    let signed: SignedScenario

    init(_ path: String) throws {
        signed = try JSONDecoder().decode(SignedScenario.self, from: Data(contentsOf: URL(filePath: path)))
    }
}

extension PlayedAppStore {
    /// Lets Apple know what was signed.
    func load(_ file: SignedFile) {
        accounts.append(
            PlayedAccount(
                transactions: file.signed.signedTransactions, renewalInfos: file.signed.signedRenewalInfo,
                appTransaction: file.signed.signedAppTransaction))
        notifications += file.signed.notifications
    }
}
