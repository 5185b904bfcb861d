/// The type of an event; the names are permanent (docs/events.md).
public enum EventType: String, Sendable, Hashable, CaseIterable, Codable {
    case started = "subscription.started"
    case paymentFailed = "subscription.paymentFailed"
    case trialEnding = "subscription.trialEnding"
    case graceEnding = "subscription.graceEnding"
    case accessLost = "subscription.accessLost"
    case cancelled = "subscription.cancelled"
    case resumed = "subscription.resumed"
    case renewed = "subscription.renewed"
    case refunded = "subscription.refunded"
    case productChanged = "subscription.productChanged"
    case purchaseMade = "purchase.made"
    case purchaseRefunded = "purchase.refunded"
    case purchaseRevoked = "purchase.revoked"
    case offerIssued = "offer.issued"
    case offerRedeemed = "offer.redeemed"
    case offerRefused = "offer.refused"
    case limitNearlyReached = "offer.limitNearlyReached"
    case limitReached = "offer.limitReached"
    case notificationReceived = "notification.received"

    /// Whether it tells what happened to a customer's purchases, so that their status comes with it.
    public var changesStatus: Bool {
        switch self {
        case .started, .paymentFailed, .trialEnding, .graceEnding, .accessLost, .cancelled, .resumed, .renewed,
            .refunded, .productChanged, .purchaseMade, .purchaseRefunded, .purchaseRevoked:
            true
        case .offerIssued, .offerRedeemed, .offerRefused, .limitNearlyReached, .limitReached, .notificationReceived:
            false
        }
    }
}

/// The id of an event: a UUID of version 8 (RFC 9562) made of its instant and its place in the store-wide order.
///
/// It needs no column, sorts by time and leads back to the event. After a restored backup a place is given out a second
/// time, at another instant and so under another id.
public struct EventId: Sendable, Hashable, CustomStringConvertible {
    public let uuid: LowercaseUUID
    public let sequence: Int64

    /// - Parameter sequence: 62 bits of it are kept; the store gives out fewer.
    public init(at instant: Instant, sequence: Int64) {
        let time = (0..<6).map { UInt8(truncatingIfNeeded: instant.milliseconds >> (8 * (5 - $0))) }
        let place = (0..<8).map { UInt8(truncatingIfNeeded: sequence >> (8 * (7 - $0))) }
        uuid = LowercaseUUID(time + [0, 0] + place, version: 8)
        self.sequence = sequence
    }

    /// Reads an id; `nil` if it cannot be one of an event.
    public init?(_ text: String) {
        guard let uuid = LowercaseUUID(text),
            let bytes = Hexadecimal.bytes(uuid.description.filter { $0 != "-" })
        else { return nil }
        let places = bytes.suffix(8)
        let sequence = places.reduce(Int64(0)) { $0 << 8 | Int64($1) } & (1 << 62 - 1)
        let time = bytes.prefix(6).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        self.init(at: Instant(milliseconds: time), sequence: sequence)
        guard self.uuid == uuid else { return nil }
    }

    public var description: String { uuid.description }
}
