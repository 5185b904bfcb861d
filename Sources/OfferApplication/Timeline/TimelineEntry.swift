public import OfferModel

/// One thing that happened to a customer, in a sentence for staff.
public struct TimelineEntry: Sendable, Hashable {
    /// What kind of thing it is; the list is closed.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A product was bought for the first time, or again.
        case purchased
        /// A subscription went on.
        case renewed
        /// Access came through Family Sharing.
        case shared
        /// A subscription ran out.
        case expired
        /// Apple took a purchase back.
        case revoked
        /// Apple took a refund back.
        case refundReversed
        /// Renewal was turned off.
        case cancelled
        /// Renewal was turned on again.
        case resumed
        /// The next renewal will be of another product.
        case productChange
        /// A renewal could not be charged.
        case paymentFailed
        /// The App Store has told of something.
        case notified
        /// An offer was issued.
        case issued
        /// An offer was used.
        case redeemed
        /// An offer was asked for and not given.
        case refused
        /// An offer was signed, and the customer bought without it right after.
        case boughtAtFullPrice
        /// An issued offer was withdrawn.
        case voided
        /// Two customers were proven to be one.
        case merged
    }

    /// When.
    public var at: Instant
    /// What kind of thing.
    public var kind: Kind
    /// What, in a sentence.
    public var message: String

    init(_ kind: Kind, at: Instant, _ message: String) {
        self.at = at
        self.kind = kind
        self.message = message
    }
}

/// A page of a timeline, the newest entry first.
public struct TimelinePage: Sendable, Hashable {
    /// The entries.
    public var entries: [TimelineEntry]
    /// Where the next page starts; absent on the last one.
    public var next: TimelineCursor?
}

/// A place in a timeline: so many entries of an instant were shown.
public struct TimelineCursor: Sendable, Hashable {
    /// The instant of the last entry shown.
    public var at: Instant
    /// How many entries of that instant were shown.
    public var shown: Int

    /// How many entries of one instant a cursor can pass over.
    private static let mostShown = 10_000

    init(at: Instant, shown: Int) {
        self.at = at
        self.shown = shown
    }

    /// Reads what ``text`` wrote; `nil` for anything else.
    public init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let at = Int64(parts[0]), let shown = Int(parts[1]),
            (1...Self.mostShown).contains(shown)
        else { return nil }
        self.init(at: Instant(milliseconds: at), shown: shown)
    }

    /// The cursor as one word.
    public var text: String { "\(at.milliseconds).\(shown)" }
}
