package import OfferAPI
package import OfferModel
import OfferStore

/// Withdraws an issued offer: no further signatures under it (docs/design.md#issued-offers-and-limits).
public struct OfferVoiding: Sendable {
    let database: Ledger
    let stories: CustomerLookup
    let clock: RequestClock

    /// Voids an open issued offer; one that is no longer open stays as it is.
    ///
    /// Apple cannot revoke a signature: what was handed out can be redeemed until it ends. So the place goes on
    /// counting until then, unless it is released, which accepts that the offer may be used beyond its limit.
    ///
    /// - Throws: `unknownIssuedOffer`, `clockBehind` where a place is released.
    package func void(
        _ id: LowercaseUUID, reason: String, release: Bool, caller: Caller
    ) async throws -> IssuedOfferView {
        try await database.write(by: caller.author) { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope),
                try IssuedOfferStore(transaction).issuedOffer(id, in: number) != nil
            else { throw RequestError.unknownIssuedOffer(id.description) }
            // To stop is never too early: only what frees a place waits for a clock that is behind, as resuming does.
            let now = try release ? clock.instant(transaction) : clock.tolerantInstant(transaction)
            guard try IssuedOfferStore(transaction).void(id, reason: reason, release: release, at: now, in: number)
            else {
                return
            }
            try StoreClock(transaction).advance(to: now)
        }
        return try await stories.issuedOffer(id, caller: caller)
    }
}
