import AppStoreData
package import OfferAPI
public import OfferModel
import OfferSigning
public import OfferStore

/// Takes App Store Server Notifications into the history, however they reach us: sent by the App Store, or fetched from
/// its notification history after an outage.
public struct NotificationIngestion: Sendable {
    let registry: AppRegistry
    let database: Ledger
    let catalogs: CompiledCatalogs
    let clock: RequestClock
    let metrics: ServiceMetrics
    let rates: RequestRates

    /// Verifies a notification and everything signed in it, and keeps it with its history in one durable commit.
    ///
    /// The same notification again, known by its `notificationUUID`, is kept once. Its history is looked at each time:
    /// if Apple signs it again inside, what is new counts whichever came first (invariant 7). Only what was erased
    /// stays so. A repeat with nothing new costs no commit.
    ///
    /// - Parameter taken: what was taken for the body, which is given back once it proves to be the App Store's.
    /// - Throws: `notReady` if `keys.yaml` has no such app and environment yet, `signedDataRefused` with the pointer
    ///   `/signedPayload`, `clockBehind`, `CancellationError`.
    package func ingest(
        _ signedPayload: String, of scope: Scope, source: NotificationSource, author: AuditAuthor,
        givingBack taken: StrangersTokens? = nil
    ) async throws -> NotificationBody {
        let verified = try await verify(signedPayload, of: scope)
        if let taken { rates.giveBack(taken) }
        let receipt =
            switch try await look(for: verified, in: scope) {
            case .known(let receipt): receipt
            case .new(let expectation):
                try await keep(verified, of: scope, source: source, author: author, expecting: { expectation })
            }
        let signed = verified.notification.signedDate
        let age = source == .delivered ? clock.wallClock().milliseconds(since: signed) : nil
        metrics.received(receipt, age: age, in: scope)
        return receipt
    }

    /// Looks whether notifications of an app and environment are taken here at all.
    ///
    /// - Throws: `notReady` if `keys.yaml` has no such app and environment yet.
    @discardableResult
    public func require(_ scope: Scope) throws(RequestError) -> RegisteredApp {
        guard let app = registry[scope] else {
            throw .notReady(
                detail:
                    "there is no app `\(scope.bundleId.rawValue.prefix(200))` in `\(scope.environment.rawValue)` here",
                hint: "keys.yaml names the apps and their environments; both are written in the URL as they are there")
        }
        return app
    }

    /// Takes what the body of a request without a key costs from its sender's address, before it is read.
    ///
    /// - Returns: what was taken, to be given back: what Apple signed costs nothing.
    /// - Throws: `tooManyStrangers`.
    public func admit(bodyOf bytes: Int, from address: IPAddress?) throws -> StrangersTokens {
        try rates.take(strangersBody: bytes, from: address)
    }

    private func verify(_ jws: String, of scope: Scope) async throws -> VerifiedNotification {
        let reader = try require(scope).reader(in: scope.environment)
        do {
            try Task.checkCancellation()
            return try VerifiedNotification(jws, reader: reader, now: clock.wallClock())
        } catch let refusal as SignedDataRefusal {
            metrics.refused(refusal, in: scope)
            if refusal.code == .signedInFuture {
                // What seems to come from the future may be right, and our clock wrong.
                _ = try await database.readInline { try clock.instant($0) }
            }
            throw RequestError.signedDataRefused([RefusedData(pointer: "/signedPayload", refusal: refusal)])
        }
    }

    private enum Found: Sendable {
        /// It is known with all that is in it.
        case known(NotificationBody)
        /// There is something to write; with what the write will ask first, where that is asked ahead.
        case new(WriteExpectation?)
    }

    private func look(for verified: VerifiedNotification, in scope: Scope) async throws -> Found {
        try await database.readInline { transaction in
            try transaction.expect(
                { _ = try ScopeStore($0).number(of: scope) },
                { transaction in
                    guard let number = catalogs.lastNumber(of: scope) else { return }
                    _ = try Self.known(verified, in: number, transaction)
                },
                { transaction in
                    guard let number = catalogs.lastNumber(of: scope) else { return }
                    _ = try HistoryStore(transaction).owners(of: verified.payloads, in: number)
                })
            guard let number = try ScopeStore(transaction).number(of: scope) else { return .new(nil) }
            guard let known = try Self.known(verified, in: number, transaction),
                try known.erasedAt != nil
                    || HistoryStore(transaction).missing(verified.payloads, in: number).isEmpty
            else {
                return .new(
                    transaction.prefetches ? try Self.expectation(of: verified, in: scope, number, transaction) : nil)
            }
            return .known(NotificationBody(of: verified.notification, repeated: true, outcome: known.outcome))
        }
    }

    private static func expectation(
        of verified: VerifiedNotification, in scope: Scope, _ number: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> WriteExpectation {
        let (payloads, uuid) = (verified.payloads, verified.notification.notificationUUID)
        let owners = try HistoryStore(transaction).owners(of: payloads, in: number)
        return WriteExpectation(
            of: HistoryStore.concerns(of: payloads, of: owners) + [.notification(uuid)],
            HistoryStore.questions(before: payloads, of: owners, in: scope, number) + [
                { _ = try NotificationStore($0).notification(uuid, in: number) }
            ])
    }

    private func keep(
        _ verified: VerifiedNotification, of scope: Scope, source: NotificationSource, author: AuditAuthor,
        expecting expectation: @escaping WriteExpectation.Maker
    ) async throws -> NotificationBody {
        try await database.write(by: author, expecting: expectation) { transaction in
            let now = try clock.instant(transaction)
            let number = try ScopeStore(transaction).findOrAdd(scope)
            // Another delivery of it may have come first since it was looked for.
            let known = try Self.known(verified, in: number, transaction)
            if let known, known.erasedAt != nil {
                return NotificationBody(of: verified.notification, repeated: true, outcome: known.outcome)
            }
            // Apple's list is older than an erasure: what it holds must not undo that.
            if source == .fetched, known == nil, let identifier = verified.identifier,
                try ErasureStore(transaction).isErased(
                    identifier, since: verified.notification.signedDate, isOfTesters: scope.environment.isOfTesters,
                    in: number)
            {
                return NotificationBody(of: verified.notification, repeated: true, outcome: .noHistory)
            }
            let ingested = try HistoryStore(transaction).ingest(
                verified.payloads, offers: try catalogs.offersInForce(of: number, in: scope, transaction), at: now,
                in: number)
            let stored = verified.stored(source, outcomes: ingested.map(\.outcome), at: now)
            if known == nil {
                try NotificationStore(transaction).insert(
                    stored, about: verified.identifier, payload: verified.jws, in: number)
            }
            let storeClock = StoreClock(transaction)
            try storeClock.advance(to: now)
            if let date = verified.newestDateOfApple { try storeClock.noteSigned(at: date) }
            return NotificationBody(
                of: verified.notification, repeated: known != nil, outcome: known?.outcome ?? stored.outcome)
        }
    }

    private static func known(
        _ verified: VerifiedNotification, in scope: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> StoredNotification? {
        try NotificationStore(transaction).notification(verified.notification.notificationUUID, in: scope)
    }
}

extension AuditAuthor {
    /// The App Store, whose notifications come without a key.
    public static func appStore(requestId: LowercaseUUID?) -> AuditAuthor {
        AuditAuthor(actor: "App Store notifications", requestId: requestId)
    }
}

extension NotificationBody {
    fileprivate init(of notification: AppStoreNotification, repeated: Bool, outcome: NotificationOutcome) {
        self.init()
        notificationUUID = notification.notificationUUID
        notificationType = notification.notificationType
        subtype = notification.subtype
        self.outcome = outcome
        self.repeated = repeated
    }
}
