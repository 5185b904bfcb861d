public import OfferModel
public import OfferSigning

/// Turns signed data of one app and environment into payloads, and returns nothing that is not verified.
///
/// ```
/// size → JWS → kind and date → not in the future → certificates | signatures → all members → app, environment, app id
///                               examined: no public-key work      verified
/// ```
public struct SignedDataReader: Sendable {
    /// How far ahead of the clock data may be signed (docs/design.md#time).
    public static let allowedClockSkewMilliseconds = 60 * Instant.Duration.second

    private let verifier: any SignedDataVerifier
    private let claims: ExpectedClaims

    /// A reader of one app in one environment.
    ///
    /// - Parameters:
    ///   - verifier: checks chains and signatures.
    ///   - bundleId: the app that payloads must name.
    ///   - appAppleId: Apple's number of the app, which Production payloads must name where they name one.
    ///   - environment: the environment that payloads must name and whose roots are trusted.
    public init(
        verifier: any SignedDataVerifier, bundleId: BundleId, appAppleId: Int64?, environment: AppStoreEnvironment
    ) {
        self.verifier = verifier
        claims = ExpectedClaims(bundleId: bundleId, appAppleId: appAppleId, environment: environment)
    }

    /// Reads a signed transaction.
    ///
    /// - Throws: ``SignedDataRefusal``, naming the certificate or the claim at fault.
    public func transaction(_ jws: String, now: Instant) throws(SignedDataRefusal) -> Verified<Transaction> {
        try examine(transaction: jws, now: now).verify()
    }

    /// Looks at a signed transaction without public-key work.
    ///
    /// - Throws: ``SignedDataRefusal``, naming the certificate at fault.
    public func examine(
        transaction jws: String, now: Instant
    ) throws(SignedDataRefusal) -> ExaminedData<Transaction> {
        try examine(jws, now: now) { [claims] payload throws(SignedDataRefusal) in try claims.check(payload) }
    }

    /// Reads signed renewal info, which names no app: it belongs to this one only once a verified transaction of this
    /// app has its `originalTransactionId` (docs/design.md#history-and-state).
    ///
    /// - Throws: ``SignedDataRefusal``, naming the certificate or the claim at fault.
    public func renewalInfo(_ jws: String, now: Instant) throws(SignedDataRefusal) -> Verified<RenewalInfo> {
        try examine(renewalInfo: jws, now: now).verify()
    }

    /// Looks at signed renewal info without public-key work.
    ///
    /// - Throws: ``SignedDataRefusal``, naming the certificate at fault.
    public func examine(
        renewalInfo jws: String, now: Instant
    ) throws(SignedDataRefusal) -> ExaminedData<RenewalInfo> {
        try examine(jws, now: now) { [claims] payload throws(SignedDataRefusal) in try claims.check(payload) }
    }

    /// Reads a signed app transaction; its `receiptType` is its environment and `receiptCreationDate` its date.
    ///
    /// - Throws: ``SignedDataRefusal``, naming the certificate or the claim at fault.
    public func appTransaction(_ jws: String, now: Instant) throws(SignedDataRefusal) -> Verified<AppTransaction> {
        try examine(appTransaction: jws, now: now).verify()
    }

    /// Looks at a signed app transaction without public-key work.
    ///
    /// - Throws: ``SignedDataRefusal``, naming the certificate at fault.
    public func examine(
        appTransaction jws: String, now: Instant
    ) throws(SignedDataRefusal) -> ExaminedData<AppTransaction> {
        try examine(jws, now: now) { [claims] payload throws(SignedDataRefusal) in try claims.check(payload) }
    }

    /// Reads a notification's `signedPayload`. A type, subtype or status unknown here is kept and never refused. What is
    /// signed inside of it is left as text, each to be read by ``transaction(_:now:)``, ``renewalInfo(_:now:)`` or
    /// ``appTransaction(_:now:)``.
    ///
    /// It must name this app and environment, and in Production its `appAppleId` as well: what names no app could be
    /// anybody's.
    ///
    /// - Throws: ``SignedDataRefusal``, naming the certificate or the claim at fault.
    public func notification(_ jws: String, now: Instant) throws(SignedDataRefusal) -> Verified<AppStoreNotification> {
        try examine(jws, now: now) { [claims] payload throws(SignedDataRefusal) in try claims.check(payload) }.verify()
    }

    private func examine<Payload: PayloadReadable & Sendable & Hashable>(
        _ text: String, now: Instant, check: @escaping (Payload) throws(SignedDataRefusal) -> Void
    ) throws(SignedDataRefusal) -> ExaminedData<Payload> {
        let most = Payload.kind.maximumJWSBytes
        guard text.utf8.count <= most else {
            throw SignedDataRefusal(.malformedJws, "the JWS has \(text.utf8.count) bytes, more than \(most)")
        }
        let jws = try CompactJWS(parsing: text)
        let json = try PayloadJSON(jws.payload, kind: Payload.kind)
        let date = try json.read(SigningDate<Payload>.self).date
        let ahead = date.milliseconds(since: now)
        guard ahead <= Self.allowedClockSkewMilliseconds else {
            throw SignedDataRefusal(
                .signedInFuture,
                "`\(Payload.kind.dateMember.stringValue)` \(date) is \(ahead / 1_000) s ahead of the clock")
        }
        let (verifier, environment) = (verifier, claims.environment)
        try verifier.examine(jws, effectiveDate: date, environment: environment)
        return ExaminedData { () throws(SignedDataRefusal) in
            let anchor = try verifier.verify(jws, effectiveDate: date, environment: environment)
            let payload = try json.read(Payload.self)
            try check(payload)
            return Verified(payload: payload, payloadBytes: jws.payload, signedDate: date, anchor: anchor, jws: text)
        }
    }
}

/// Signed data whose form, date and certificates are right, and whose signatures are not checked yet.
public struct ExaminedData<Payload: Sendable & Hashable> {
    private let rest: () throws(SignedDataRefusal) -> Verified<Payload>

    init(_ rest: @escaping () throws(SignedDataRefusal) -> Verified<Payload>) {
        self.rest = rest
    }

    /// Checks the rest.
    ///
    /// - Throws: ``SignedDataRefusal``, naming the certificate or the claim at fault.
    public func verify() throws(SignedDataRefusal) -> Verified<Payload> { try rest() }
}
