public import OfferCatalog
public import OfferModel
public import OfferSigning

/// Why a request cannot be answered as asked; `OfferHTTP` maps each case to one problem document.
///
/// A refused offer is not among them: a reasoned no is an answer.
public enum RequestError: Error, Sendable {
    /// A member of the request is not as it must be; the pointer is a JSON pointer into the request.
    case invalidRequest(pointer: String, detail: String, hint: String?)
    /// A query parameter does not fit what is known, such as the present instant.
    case unusableParameter(name: String, detail: String, hint: String?)
    /// The offer has several products and the request names none.
    case productRequired(offerId: OfferId, products: [ProductId])
    /// The catalog has no such offer.
    case unknownOffer(OfferId)
    /// Nobody is known by these identifiers.
    case unknownCustomer
    /// No offer was issued under this id to anyone of the caller's app and environment.
    case unknownIssuedOffer(LowercaseUUID)
    /// `keys.yaml` has no such app, or not in that environment.
    case unknownScope(Scope)
    /// What a decision depended on was erased with its customer's data, so it cannot be replayed.
    case erasedRecord(LowercaseUUID)
    /// The catalog never had this revision.
    case unknownRevision(String)
    /// The request's `Idempotency-Key` was used for another body.
    case idempotencyConflict
    /// The identifiers name customers who cannot be one.
    case ambiguousCustomer(detail: String)
    /// An alias is stated of a customer, and Apple's data names it for another one.
    case foreignAlias(kind: String)
    /// Apple's data names the alias for the customer, so it cannot be detached.
    case provenAlias(kind: String)
    /// The catalog in force is another than the one the change was made from.
    case catalogChanged(current: Int)
    /// The catalog document has errors.
    case invalidCatalog([DocumentIssue])
    /// Signed data was not believed.
    case signedDataRefused([RefusedData])
    /// Nothing of what the App Store Server API gave was believed.
    case appStoreDataRefused([RefusedData])
    /// The App Store knows nobody in this app and environment by what it was asked for.
    case unknownToAppStore(detail: String, hint: String?)
    /// The App Store Server API gave no answer that can be used.
    case appStoreFailed(AppStoreFailure)
    /// Requests come faster than `rateLimits` allows; nothing was written.
    case rateLimited(RateLimited)
    /// Too much work is waiting, or the database stayed locked; asking again later may help.
    case busy
    /// The wall clock is so far behind that no instant of it can be right; nothing is decided until it has caught up.
    case clockBehind(ClockLag)
    /// The service cannot do this as it is set up; the detail says what is missing.
    case notReady(detail: String, hint: String?)
}

/// One JWS of a request that was not believed.
public struct RefusedData: Sendable, Hashable {
    /// Where it stands in the request, as a JSON pointer.
    public var pointer: String
    /// Why.
    public var refusal: SignedDataRefusal

    /// A refused JWS by its parts.
    public init(pointer: String, refusal: SignedDataRefusal) {
        self.pointer = pointer
        self.refusal = refusal
    }
}
