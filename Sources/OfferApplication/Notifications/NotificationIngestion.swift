import AppStoreData
public import OfferModel
import OfferSigning
public import OfferStore

/// Takes App Store Server Notifications into the history, however they reach us: sent by the App Store, or fetched from
/// its notification history after an outage.
public struct NotificationIngestion: Sendable {
    private let registry: AppRegistry
    private let database: Ledger
    private let catalogs: CompiledCatalogs
    private let clock: RequestClock
    private let check = NotificationCheck()

    init(registry: AppRegistry, database: Ledger, catalogs: CompiledCatalogs, clock: RequestClock) {
        self.registry = registry
        self.database = database
        self.catalogs = catalogs
        self.clock = clock
    }

    /// Verifies a notification and everything signed in it, and keeps it with its history in one durable commit.
    ///
    /// The same notification again, known by its `notificationUUID`, is kept once. Its history is looked at each time:
    /// should Apple sign it anew inside, what is new counts whichever came first (invariant 7). Only what was erased
    /// stays so. A repeat with nothing new costs no commit.
    ///
    /// - Parameters:
    ///   - signedPayload: the compact JWS.
    ///   - scope: the app and environment it must be of.
    ///   - source: how it reached us.
    ///   - author: who answers for it in the audit.
    /// - Throws: ``RequestError/unknownScope(_:)`` if `keys.yaml` has no such app and environment,
    ///   ``RequestError/signedDataRefused(_:)`` with the pointer `/signedPayload`, ``RequestError/clockBehind(_:)``,
    ///   `CancellationError`, and what the store throws.
    public func ingest(
        _ signedPayload: String, of scope: Scope, source: NotificationSource, author: AuditAuthor
    ) async throws -> NotificationReceipt {
        let verified = try await verify(signedPayload, of: scope)
        if let receipt = try await receiptOfRepeat(verified, in: scope) { return receipt }
        return try await keep(verified, of: scope, source: source, author: author)
    }

    /// Looks whether notifications of an app and environment are taken here at all.
    ///
    /// - Throws: ``RequestError/unknownScope(_:)`` if `keys.yaml` has no such app and environment.
    public func require(_ scope: Scope) throws(RequestError) {
        guard registry[scope] != nil else { throw .unknownScope(scope) }
    }

    private func verify(_ jws: String, of scope: Scope) async throws -> VerifiedNotification {
        guard let app = registry[scope] else { throw RequestError.unknownScope(scope) }
        let reader = SignedDataReader(
            verifier: app.verifier, bundleId: app.bundleId, appAppleId: app.appAppleId, environment: scope.environment)
        do {
            return try await check.verify(jws, reader: reader, now: clock.wallClock())
        } catch let refusal as SignedDataRefusal {
            if refusal.code == .signedInFuture {
                // What seems to come from the future may be right, and our clock wrong.
                let clock = clock
                _ = try await database.readInline { try clock.instant($0) }
            }
            throw RequestError.signedDataRefused([RefusedData(pointer: "/signedPayload", refusal: refusal)])
        }
    }

    /// The receipt of one that is known with all that is in it; `nil` if there is something to write.
    private func receiptOfRepeat(_ verified: VerifiedNotification, in scope: Scope) async throws
        -> NotificationReceipt?
    {
        try await database.readInline { transaction in
            guard let number = try ScopeStore(transaction).number(of: scope),
                let known = try Self.known(verified, in: number, transaction),
                try known.erasedAt != nil
                    || HistoryStore(transaction).missing(verified.payloads, in: number).isEmpty
            else { return nil }
            return NotificationReceipt(of: verified.notification, isRepeat: true, outcome: known.outcome)
        }
    }

    private func keep(
        _ verified: VerifiedNotification, of scope: Scope, source: NotificationSource, author: AuditAuthor
    ) async throws -> NotificationReceipt {
        let (clock, catalogs) = (clock, catalogs)
        return try await database.write(by: author) { transaction in
            let now = try clock.instant(transaction)
            let number = try ScopeStore(transaction).findOrAdd(scope)
            // Another delivery of it may have come first since it was looked for.
            let known = try Self.known(verified, in: number, transaction)
            if let known, known.erasedAt != nil {
                return NotificationReceipt(of: verified.notification, isRepeat: true, outcome: known.outcome)
            }
            let ingested = try HistoryStore(transaction).ingest(
                verified.payloads, offers: try catalogs.offersInForce(of: number, in: scope, transaction), at: now,
                in: number)
            let record = verified.record(source, outcomes: ingested.map(\.outcome))
            if known == nil { try NotificationStore(transaction).insert(record, at: now, in: number) }
            let storeClock = StoreClock(transaction)
            try storeClock.advance(to: now)
            if let date = verified.newestDateOfApple { try storeClock.noteSigned(at: date) }
            return NotificationReceipt(
                of: verified.notification, isRepeat: known != nil, outcome: known?.outcome ?? record.outcome)
        }
    }

    private static func known(
        _ verified: VerifiedNotification, in scope: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> StoredNotification? {
        try NotificationStore(transaction).notification(verified.notification.notificationUUID, in: scope)
    }
}

extension NotificationReceipt {
    init(of notification: AppStoreNotification, isRepeat: Bool, outcome: NotificationOutcome) {
        self.init(
            notificationUUID: notification.notificationUUID, type: notification.notificationType,
            subtype: notification.subtype, signedDate: notification.signedDate, isRepeat: isRepeat, outcome: outcome)
    }
}

extension AuditAuthor {
    /// The App Store, whose notifications come without a key.
    ///
    /// - Parameter requestId: the delivery.
    public static func appStore(requestId: LowercaseUUID?) -> AuditAuthor {
        AuditAuthor(actor: "App Store notifications", requestId: requestId)
    }
}
