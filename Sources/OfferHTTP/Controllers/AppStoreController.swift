import Hummingbird
import Logging
import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning

/// `/v1/app-store`: what the App Store calls, without a key. Its signature says who calls.
struct AppStoreController: Sendable {
    let notifications: NotificationIngestion
    /// Bounds how many requests without a key are served at once, so that strangers can take no more of the writer's
    /// queue than that many places from callers with a key. They are counted once their bodies are there: who sends
    /// slowly holds a connection, which are bounded too, and keeps no delivery out.
    let turns: AsyncSemaphore
    let strangers: WorkThread
    /// The turns of bodies that exceed the budget of their address: they wait, because the App Store's may be among them.
    let exceeding: SpacedTurns
    let bodyLimit: Int

    /// `POST …/notifications`: one App Store Server Notification.
    @Sendable func notify(_ request: Request, _ context: OfferContext) async throws -> Response {
        let scope = try Self.scope(request, context)
        // Before it takes a place and its body is read: nothing in it could make the app known.
        try notifications.require(scope)
        context.notes.note { $0.scope = scope }
        let taken = try await admit(request, context)
        let bytes = try await request.jsonBytes(upTo: bodyLimit)
        let receipt = try await turns.run {
            try await withTaskExecutorPreference(strangers) { try await ingest(bytes, of: scope, taken, context) }
        }
        return try .json(receipt)
    }

    /// Takes what the body costs from its address, or waits for a turn beyond that.
    ///
    /// - Returns: what was taken; `nil` for a turn.
    /// - Throws: `tooManyStrangers` if too many wait.
    private func admit(_ request: Request, _ context: OfferContext) async throws -> StrangersTokens? {
        let length = request.bodyLength(atMost: UnreadBodies.bound) ?? bodyLimit
        do {
            return try notifications.admit(bodyOf: length, from: context.address)
        } catch RequestError.tooManyStrangers where length <= bodyLimit {
            guard await exceeding.turn() else { throw RequestError.tooManyStrangers(secondsToWait: 5) }
            return nil
        }
    }

    private func ingest(
        _ bytes: [UInt8], of scope: Scope, _ taken: StrangersTokens?, _ context: OfferContext
    ) async throws -> NotificationBody {
        let body = try NotificationRequestBody.read(bytes)
        do {
            return try await notifications.ingest(
                body.signedPayload, of: scope, source: .delivered, author: .appStore(requestId: context.requestId),
                givingBack: taken)
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
