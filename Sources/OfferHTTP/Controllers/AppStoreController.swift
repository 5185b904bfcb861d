import Hummingbird
import Logging
import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning
import Synchronization

/// `/v1/app-store`: what the App Store calls, without a key. Its signature says who calls.
struct AppStoreController: Sendable {
    let notifications: NotificationIngestion
    let admission: Admission
    let bodyLimit: Int

    /// `POST …/notifications`: one App Store Server Notification.
    @Sendable func notify(_ request: Request, _ context: OfferContext) async throws -> Response {
        let scope = try Self.scope(request, context)
        // Before it takes a place and its body is read: nothing in it could make the app known.
        try notifications.require(scope)
        // A place is for work: who sends slowly holds a connection, and keeps no delivery out.
        let bytes = try await request.jsonBytes(upTo: bodyLimit)
        return try await admission.admit {
            let body = try WireJSON.decodeRequest(NotificationRequestBody.self, from: bytes)
            do {
                return try .json(
                    NotificationBody(
                        try await notifications.ingest(
                            body.signedPayload, of: scope, source: .delivered,
                            author: .appStore(requestId: context.requestId))))
            } catch RequestError.signedDataRefused(let refused) {
                // Only Apple's server reads the answer, so the operator needs the cause in the log.
                let codes = refused.map(\.refusal.code.rawValue).joined(separator: ", ")
                context.logger.info("a notification was refused", metadata: ["code": "\(codes)"])
                // Apple may never send again what is answered 4xx.
                if let first = refused.first, refused.allSatisfy(\.refusal.mayHeal) {
                    throw Problem(
                        .notReady, "the notification is refused for now: \(first.refusal.detail)",
                        hint: "check the clock, `appAppleId` in keys.yaml and the version of offerd"
                    ).retry(after: 60)
                }
                throw RequestError.signedDataRefused(refused)
            }
        }
    }

    /// The app and environment of the path, spelled exactly as in keys.yaml.
    ///
    /// - Throws: ``Problem`` `not-found`.
    private static func scope(_ request: Request, _ context: OfferContext) throws -> Scope {
        guard
            let bundleId = PercentEncoding.decoded(try context.parameters.require("bundleId"), plusIsSpace: false),
            let name = PercentEncoding.decoded(try context.parameters.require("environment"), plusIsSpace: false),
            let environment = AppStoreEnvironment(rawValue: name)
        else {
            let known = AppStoreEnvironment.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            throw Problem(
                .notFound, "there is nothing at `\(request.uri.path.prefix(200))`",
                hint: "the environment is one of \(known), spelled like this")
        }
        return Scope(bundleId: BundleId(bundleId), environment: environment)
    }
}

/// Bounds how many requests without a key are served at once; beyond the bound, calls fail with `busy`.
///
/// They are counted once their bodies are there, so that strangers can neither take more of the writer's queue than that
/// many places from callers with a key, nor keep places by sending slowly. How many bodies are on their way at once is
/// bounded by the connections.
final class Admission: Sendable {
    private let limit: Int
    private let served = Mutex(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// Serves a request if there is room for it.
    ///
    /// - Throws: ``Problem`` `busy`, and what serving it throws.
    func admit<Answer>(_ serve: () async throws -> Answer) async throws -> Answer {
        let isAdmitted = served.withLock { served in
            guard served < limit else { return false }
            served += 1
            return true
        }
        guard isAdmitted else { throw Problem.busy }
        defer { served.withLock { $0 -= 1 } }
        return try await serve()
    }
}

extension NotificationBody {
    init(_ receipt: NotificationReceipt) {
        self.init(
            notificationUUID: receipt.notificationUUID, notificationType: receipt.type, subtype: receipt.subtype,
            outcome: receipt.outcome, repeated: receipt.isRepeat)
    }
}
