import FoundationEssentials
import OfferModel

/// Apple's answer to a request it does not grant, and what follows from it.
struct RefusedAnswer {
    let status: Int
    let errorCode: AppStoreErrorCode?
    private let errorMessage: String?
    let retryAt: Instant?

    init(_ reply: AppStoreServerReply, now: Instant) {
        status = reply.status
        let body = try? JSONDecoder().decode(Body.self, from: Data(reply.body))
        errorCode = body?.errorCode.map { AppStoreErrorCode(rawValue: $0) }
        errorMessage = body?.errorMessage
        retryAt = reply.retryAfter.flatMap { RetryAfter.instant($0, now: now) }
    }

    /// Only what Apple calls retryable, too many requests, and what a gateway before Apple's server says without a code
    /// of Apple's.
    var isRetryable: Bool {
        if let errorCode, errorCode != .rateLimitExceeded { return errorCode.isRetryable }
        return [429, 502, 503, 504].contains(status) || errorCode == .rateLimitExceeded
    }

    func error(of access: AppStoreServerAccess, at host: AppStoreServerHost, attempts: Int) -> AppStoreServerError {
        let (code, cause, hint) = verdict(access, host)
        let number = errorCode.map { " (\($0.rawValue)\(quotedMessage))" } ?? " (status \(status))"
        return AppStoreServerError(
            code, cause + number, hint: hint, errorCode: errorCode, status: status, retryAt: retryAt,
            attempts: attempts)
    }

    private func verdict(
        _ access: AppStoreServerAccess, _ host: AppStoreServerHost
    ) -> (code: AppStoreServerError.Code, cause: String, hint: String?) {
        switch (status, errorCode) {
        case (401, _):
            (
                .unauthenticated,
                "Apple does not accept the key `\(access.keyId)` for `\(access.bundleId)` at `\(host)`",
                "check that it is an In-App Purchase key of this team, `keyId` and `issuerId` `\(access.issuerId)` in "
                    + "keys.yaml, that the key was not revoked, and that this machine's clock is right"
            )
        case (429, _), (_, .rateLimitExceeded):
            (.rateLimited, "Apple wants no more requests for `\(access.bundleId)` for a while", "try again later")
        case (_, .transactionIdNotFound), (_, .originalTransactionIdNotFound), (_, .accountNotFound):
            (
                .notFound, "Apple knows no such transaction of `\(access.bundleId)` in \(host.environment.rawValue)",
                "check the id and the environment: Sandbox and TestFlight purchases are not in Production"
            )
        case (_, .appTransactionDoesNotExist):
            (.notFound, "Apple has no app transaction of this customer of `\(access.bundleId)`", nil)
        case (_, .serverNotificationURLNotFound):
            (
                .notFound, "`\(access.bundleId)` has no URL for notifications in \(host.environment.rawValue)",
                "enter it in App Store Connect, App Information, App Store Server Notifications"
            )
        case (_, .testNotificationNotFound):
            (
                .notFound, "Apple has no result of this test notification",
                "ask again in a moment, or request a new test: a token is not kept for long"
            )
        case (_, .appNotFound), (_, .invalidAppIdentifier):
            (
                .notFound, "Apple knows no app `\(access.bundleId)` for the key `\(access.keyId)`",
                "check `bundleId` in keys.yaml, and that the key belongs to the same team"
            )
        case (_, .invalidTransactionId), (_, .appTransactionIdNotSupported):
            (.refused, "Apple does not take this transaction id", "give a `transactionId` or `originalTransactionId`")
        case (_, .paginationTokenExpired), (_, .invalidPaginationToken), (_, .invalidRequestRevision):
            (.refused, "Apple does not take this page's token", "begin with the first page again")
        case (_, .startDateTooFarInPast):
            (.refused, "Apple keeps notifications for 180 days", "choose a later start")
        case (500..., _): (.unavailable, "Apple's server cannot answer", "try again later")
        case (404, _): (.notFound, "Apple knows nothing of it", "check the id and the environment")
        default: (.refused, "Apple refuses the request", nil)
        }
    }

    /// Apple's words, cut and cleared of what would break a line.
    private var quotedMessage: String {
        guard let errorMessage, !errorMessage.isEmpty else { return "" }
        let text = String.UnicodeScalarView(
            errorMessage.unicodeScalars.prefix(200).map { $0.properties.generalCategory == .control ? " " : $0 })
        return ": \(String(text))"
    }

    private struct Body: Decodable {
        let errorCode: Int64?
        let errorMessage: String?

        private enum CodingKeys: CodingKey {
            case errorCode
            case errorMessage
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            errorCode = try? members.decodeIfPresent(Int64.self, forKey: .errorCode)
            errorMessage = try? members.decodeIfPresent(String.self, forKey: .errorMessage)
        }
    }
}
