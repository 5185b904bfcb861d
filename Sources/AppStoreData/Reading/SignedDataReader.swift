public import OfferModel
public import OfferSigning

/// Turns signed data of one app and environment into payloads, and returns nothing that is not verified.
///
/// ```
/// size → JWS → kind and date → not in the future → chain and signature → all members → app, environment, app id
/// ```
public struct SignedDataReader: Sendable {
    /// How far ahead of the clock data may be signed (DESIGN §5.5).
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
        let verified = try verified(Transaction.self, jws, now: now)
        try claims.check(verified.payload)
        return verified
    }

    /// Reads signed renewal info, which names no app: it belongs to this one only once a verified transaction of this
    /// app has its `originalTransactionId` (DESIGN §5.1).
    ///
    /// - Throws: ``SignedDataRefusal``, naming the certificate or the claim at fault.
    public func renewalInfo(_ jws: String, now: Instant) throws(SignedDataRefusal) -> Verified<RenewalInfo> {
        let verified = try verified(RenewalInfo.self, jws, now: now)
        try claims.check(verified.payload)
        return verified
    }

    /// Reads a signed app transaction; its `receiptType` is its environment and `receiptCreationDate` its date.
    ///
    /// - Throws: ``SignedDataRefusal``, naming the certificate or the claim at fault.
    public func appTransaction(_ jws: String, now: Instant) throws(SignedDataRefusal) -> Verified<AppTransaction> {
        let verified = try verified(AppTransaction.self, jws, now: now)
        try claims.check(verified.payload)
        return verified
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
        let verified = try verified(AppStoreNotification.self, jws, now: now)
        try claims.check(verified.payload)
        return verified
    }

    private func verified<Payload: PayloadReadable & Sendable & Hashable>(
        _ type: Payload.Type, _ text: String, now: Instant
    ) throws(SignedDataRefusal) -> Verified<Payload> {
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
        let anchor = try verifier.verify(jws, effectiveDate: date, environment: claims.environment)
        let payload = try json.read(type)
        return Verified(payload: payload, payloadBytes: jws.payload, signedDate: date, anchor: anchor, jws: text)
    }
}
