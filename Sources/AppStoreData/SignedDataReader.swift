public import OfferModel
public import OfferSigning

/// Turns signed data of one app and environment into payloads, and returns nothing that is not verified.
///
/// ```
/// size → JWS → kind and date → not in the future → certificates | signatures → all members → app, environment, app id
///                               examined: no public-key work      verified
/// ```
///
/// Every refusal is a ``SignedDataRefusal`` that names the certificate or the claim at fault.
public struct SignedDataReader: Sendable {
    /// How far ahead of the clock data may be signed (docs/design.md#time).
    public static let allowedClockSkewMilliseconds = 60 * Instant.Duration.second

    private let verifier: any SignedDataVerifier
    private let claims: ExpectedClaims

    /// - Parameters:
    ///   - bundleId: the app that payloads must name.
    ///   - appAppleId: Apple's number of the app, which Production payloads must name where they name one.
    ///   - environment: the environment that payloads must name and whose roots are trusted.
    public init(
        verifier: any SignedDataVerifier, bundleId: BundleId, appAppleId: Int64?, environment: AppStoreEnvironment
    ) {
        self.verifier = verifier
        claims = ExpectedClaims(bundleId: bundleId, appAppleId: appAppleId, environment: environment)
    }

    public func transaction(_ jws: String, now: Instant) throws(SignedDataRefusal) -> Verified<Transaction> {
        try examine(transaction: jws, now: now).verify()
    }

    /// Checks a signed transaction as far as that needs no public-key work.
    public func examine(transaction jws: String, now: Instant) throws(SignedDataRefusal) -> ExaminedData<Transaction> {
        try examine(jws, now: now, claims.check)
    }

    /// Reads signed renewal info, which names no app: it belongs to this one only once a verified transaction of this
    /// app has its `originalTransactionId` (docs/design.md#history-and-state).
    public func renewalInfo(_ jws: String, now: Instant) throws(SignedDataRefusal) -> Verified<RenewalInfo> {
        try examine(renewalInfo: jws, now: now).verify()
    }

    public func examine(renewalInfo jws: String, now: Instant) throws(SignedDataRefusal) -> ExaminedData<RenewalInfo> {
        try examine(jws, now: now, claims.check)
    }

    /// Reads a signed app transaction; its `receiptType` is its environment and `receiptCreationDate` its date.
    public func appTransaction(_ jws: String, now: Instant) throws(SignedDataRefusal) -> Verified<AppTransaction> {
        try examine(appTransaction: jws, now: now).verify()
    }

    public func examine(
        appTransaction jws: String, now: Instant
    ) throws(SignedDataRefusal) -> ExaminedData<AppTransaction> {
        try examine(jws, now: now, claims.check)
    }

    /// Reads a notification's `signedPayload`. An unknown type, subtype or status is kept and never refused. The signed
    /// data inside it stays text, to be read by ``transaction(_:now:)``, ``renewalInfo(_:now:)`` or
    /// ``appTransaction(_:now:)``.
    ///
    /// It must name this app and environment, and in Production its `appAppleId` as well: a notification that names no
    /// app could belong to any.
    public func notification(_ jws: String, now: Instant) throws(SignedDataRefusal) -> Verified<AppStoreNotification> {
        try examine(jws, now: now, claims.check).verify()
    }

    private func examine<Payload: ApplePayload & Sendable & Hashable>(
        _ text: String, now: Instant, _ check: @escaping (Payload) throws(SignedDataRefusal) -> Void
    ) throws(SignedDataRefusal) -> ExaminedData<Payload> {
        let (verifier, environment) = (verifier, claims.environment)
        let jws = try Self.parsed(text, as: Payload.kind)
        func examine() throws(SignedDataRefusal) -> (PayloadMembers, Instant) {
            let members = try PayloadMembers(limited: jws.payload, kind: Payload.kind)
            let date = try members.signingDate()
            let ahead = date.milliseconds(since: now)
            try SignedDataRefusal.require(
                ahead <= Self.allowedClockSkewMilliseconds, .signedInFuture,
                "`\(Payload.kind.dateMember)` \(date) is \(ahead / 1_000) s ahead of the clock")
            try verifier.examine(jws, effectiveDate: date, environment: environment)
            return (members, date)
        }
        let (members, date): (PayloadMembers, Instant)
        do throws(SignedDataRefusal) {
            (members, date) = try examine()
        } catch {
            throw SentJWS(jws, kind: Payload.kind, environment: environment).named(error)
        }
        return ExaminedData { () throws(SignedDataRefusal) in
            do throws(SignedDataRefusal) {
                let anchor = try verifier.verify(jws, effectiveDate: date, environment: environment)
                let payload = try members.read(Payload.self)
                try check(payload)
                return Verified(
                    payload: payload, payloadBytes: jws.payload, signedDate: date, anchor: anchor, jws: text)
            } catch {
                throw SentJWS(jws, kind: Payload.kind, environment: environment).named(error)
            }
        }
    }

    /// Takes a JWS apart. What is none is named only then, by its beginning.
    private static func parsed(_ text: String, as kind: PayloadKind) throws(SignedDataRefusal) -> CompactJWS {
        let most = kind.maximumJWSBytes
        do throws(SignedDataRefusal) {
            try SignedDataRefusal.require(
                text.utf8.count <= most, .malformedJws, "the JWS has \(text.utf8.count) bytes, more than \(most)")
            return try CompactJWS(parsing: text)
        } catch {
            throw SentText(text).refusal ?? error
        }
    }
}

/// Signed data whose form, date and certificates are right, and whose signatures are not checked yet.
public struct ExaminedData<Payload: Sendable & Hashable> {
    fileprivate let rest: () throws(SignedDataRefusal) -> Verified<Payload>

    public func verify() throws(SignedDataRefusal) -> Verified<Payload> { try rest() }
}

/// A payload whose signature, app and environment were checked; only ``SignedDataReader`` makes one.
public struct Verified<Payload: Sendable & Hashable>: Sendable, Hashable {
    public let payload: Payload
    /// The payload's exact bytes; they settle ties between equal dates (docs/design.md#history-and-state).
    public let payloadBytes: [UInt8]
    /// `signedDate`, or `receiptCreationDate` of an app transaction.
    public let signedDate: Instant
    public let anchor: TrustAnchor
    public let jws: String
}

/// The app and environment that the configuration expects; signed claims must match and never change them (invariant
/// 6).
struct ExpectedClaims: Sendable {
    let bundleId: BundleId
    let appAppleId: Int64?
    let environment: AppStoreEnvironment

    func check(_ transaction: Transaction) throws(SignedDataRefusal) {
        try check(bundleId: transaction.bundleId)
        try check(environment: transaction.environment)
    }

    /// Renewal info names no app: its app follows from its transactions (docs/design.md#history-and-state).
    func check(_ renewalInfo: RenewalInfo) throws(SignedDataRefusal) {
        try check(environment: renewalInfo.environment)
    }

    func check(_ appTransaction: AppTransaction) throws(SignedDataRefusal) {
        try check(bundleId: appTransaction.bundleId)
        try check(environment: appTransaction.receiptType, member: "receiptType")
        try check(appAppleId: appTransaction.appAppleId)
    }

    /// Each part that names an app must name this one; Apple sends exactly one such part.
    func check(_ notification: AppStoreNotification) throws(SignedDataRefusal) {
        guard
            notification.data != nil || notification.summary != nil || notification.externalPurchaseToken != nil
                || notification.appData != nil
        else {
            throw SignedDataRefusal(
                .wrongBundleId,
                "a notification of the type `\(notification.notificationType.rawValue)` names no app, expected "
                    + "`\(bundleId)`")
        }
        if let data = notification.data {
            try check(data.bundleId, data.appAppleId, in: "data")
            try check(environment: data.environment, member: "data.environment")
        }
        if let summary = notification.summary {
            try check(summary.bundleId, summary.appAppleId, in: "summary")
            try check(environment: summary.environment, member: "summary.environment")
        }
        if let token = notification.externalPurchaseToken {
            try check(token.bundleId, token.appAppleId, in: "externalPurchaseToken")
            try check(environment: token.environment?.rawValue, member: "externalPurchaseToken.externalPurchaseId")
        }
        if let appData = notification.appData {
            try check(appData.bundleId, appData.appAppleId, in: "appData")
            try check(environment: appData.environment, member: "appData.environment")
        }
    }

    /// In Production Apple names the app by its number too, and its own libraries refuse a part that does not.
    private func check(_ found: BundleId?, _ appAppleId: Int64?, in part: String) throws(SignedDataRefusal) {
        guard let found else {
            throw SignedDataRefusal(.wrongBundleId, "`\(part).bundleId` is absent, expected `\(bundleId)`")
        }
        try check(bundleId: found, member: "\(part).bundleId")
        try SignedDataRefusal.require(
            appAppleId != nil || environment != .production, .wrongAppAppleId, "`\(part).appAppleId` is absent")
        try check(appAppleId: appAppleId, member: "\(part).appAppleId")
    }

    private func check(bundleId found: BundleId, member: String = "bundleId") throws(SignedDataRefusal) {
        guard found == bundleId else {
            throw SignedDataRefusal(
                .wrongBundleId, "`\(member)` is `\(found)`, expected `\(bundleId)`",
                hint: member == "bundleId"
                    ? "send data of `\(bundleId)`, or use an API key of the app that the data is of"
                    : "the notifications URL of each app names its bundle ID")
        }
    }

    private func check(environment found: String?, member: String = "environment") throws(SignedDataRefusal) {
        guard found == environment.rawValue else {
            throw SignedDataRefusal(
                .wrongEnvironment,
                "`\(member)` is \(found.map { "`\($0)`" } ?? "absent"), expected `\(environment.rawValue)`",
                hint: member.contains(".") ? Self.otherURL : Self.otherKey(found))
        }
    }

    private static let otherURL =
        "App Store Connect has a URL for Production and one for Sandbox: each ends with its environment"

    private static func otherKey(_ found: String?) -> String {
        switch found.flatMap(AppStoreEnvironment.init(rawValue:)) {
        case .sandbox?:
            "purchases of TestFlight, App Review and sandbox testers are of Sandbox: use an API key for `Sandbox`"
        case .production?: "purchases of the released app are of Production: use an API key for `Production`"
        case .xcode?: "StoreKit Testing in Xcode signed it: use an API key for `Xcode`"
        case .localTesting?: "the local App Store signed it: use an API key for `LocalTesting`"
        case nil: "use an API key for the environment that the data is of"
        }
    }

    /// Apple leaves the id out of Sandbox data, so it is checked in Production alone.
    private func check(appAppleId found: Int64?, member: String = "appAppleId") throws(SignedDataRefusal) {
        guard environment == .production, let found, found != appAppleId else { return }
        let expected = appAppleId.map { "expected `\($0)`" } ?? "and the configuration has none"
        throw SignedDataRefusal(.wrongAppAppleId, "`\(member)` is `\(found)`, \(expected)")
    }
}
