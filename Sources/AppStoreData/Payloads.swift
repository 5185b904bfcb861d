public import OfferModel
public import OfferSigning

public protocol ApplePayload: PayloadObject {
    static var kind: PayloadKind { get }
}

extension ApplePayload {
    /// Reads Apple's decoded payload as JSON; a signature is not its concern.
    ///
    /// - Throws: ``SignedDataRefusal`` with `malformedPayload`, naming the member, or `missingSignedDate`.
    public init(payload bytes: [UInt8]) throws(SignedDataRefusal) {
        self = try PayloadMembers(limited: bytes, kind: Self.kind).read(Self.self)
    }

    /// Compact JSON with sorted members in Apple's spelling, which ``init(payload:)`` reads back to the same value;
    /// renewal info only if it has an `autoRenewStatus` or an `autoRenewProductId`, by which it is told from other
    /// payloads.
    public var payloadText: [UInt8] { PayloadWriter.text(of: self) }
}

extension Transaction: ApplePayload {
    public static var kind: PayloadKind { .transaction }
}

extension RenewalInfo: ApplePayload {
    public static var kind: PayloadKind { .renewalInfo }
}

extension AppTransaction: ApplePayload {
    public static var kind: PayloadKind { .appTransaction }
}

extension AppStoreNotification: ApplePayload {
    public static var kind: PayloadKind { .notification }
}
