/// Goodwill of support for one customer: one use of one offer that its own rules and limits do not hold back
/// (docs/decisions/0076).
public struct Grant: Sendable, Hashable {
    public var id: LowercaseUUID
    /// The offer as it was called when it was granted.
    public var offerId: OfferId
    public var grantedAt: Instant
    /// From when it can no longer be used; absent if it does not end.
    public var expiresAt: Instant?
    public var revokedAt: Instant?
    /// The issued offer that used it.
    public var issuedOfferId: LowercaseUUID?

    public init(
        id: LowercaseUUID, offerId: OfferId, grantedAt: Instant, expiresAt: Instant? = nil, revokedAt: Instant? = nil,
        issuedOfferId: LowercaseUUID? = nil
    ) {
        self.id = id
        self.offerId = offerId
        self.grantedAt = grantedAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
        self.issuedOfferId = issuedOfferId
    }

    /// `00000000-0000-4000-8000-000000000000` for the first grant of a case.
    public static func id(ofCase place: Int) -> LowercaseUUID {
        LowercaseUUID(version4From: [UInt8](repeating: 0, count: 15) + [UInt8(clamping: place)])
    }

    /// Whether it can be used: neither used, revoked nor expired.
    public func isOpen(at now: Instant) -> Bool { state(at: now) == .open }

    public func state(at now: Instant) -> GrantState {
        if issuedOfferId != nil { return .used }
        if revokedAt != nil { return .revoked }
        return expiresAt.map { $0 <= now } == true ? .expired : .open
    }
}

public enum GrantState: String, Sendable, Hashable, CaseIterable, Codable {
    case open, used, revoked, expired
}

extension [Grant] {
    /// As they were at an earlier instant.
    ///
    /// - Parameter issuedOffers: those issued by then.
    func known(asOf instant: Instant, issuedOffers: [IssuedOffer]) -> [Grant] {
        filter { $0.grantedAt <= instant }.map { grant in
            var grant = grant
            if let revokedAt = grant.revokedAt, revokedAt > instant { grant.revokedAt = nil }
            if let id = grant.issuedOfferId, !issuedOffers.contains(where: { $0.id == id }) {
                grant.issuedOfferId = nil
            }
            return grant
        }
    }
}
