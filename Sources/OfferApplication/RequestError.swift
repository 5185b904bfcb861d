public import OfferDocuments
public import OfferModel
public import OfferSigning
import OfferStore

/// Why a request cannot be answered as asked; `OfferHTTP` maps each case to one problem document.
///
/// A refused offer is not among them: a reasoned no is an answer.
public enum RequestError: Error, Sendable {
    /// A member of the request is not as it must be; the pointer is a JSON pointer into the request.
    case invalidRequest(pointer: String, detail: String, hint: String?)
    /// A query parameter does not fit the known state, such as the present instant.
    case unusableParameter(name: String, detail: String, hint: String?)
    case productRequired(offerId: OfferId, products: [ProductId])
    case unknownOffer(OfferId)
    /// No catalog was ever applied, so no offer can be found.
    case noCatalog(Scope)
    case renamedOffer(OfferId, to: OfferId)
    case unknownCustomer
    /// A text names several customers, each as another kind of identifier.
    case ambiguousIdentifier(String, kinds: [String])
    /// No offer was issued under this id to anyone of the caller's app and environment.
    case unknownIssuedOffer(String)
    /// No refusal of the caller's app and environment has this id.
    case unknownDecision(String)
    /// Retention or an erasure removed inputs of the decision, so it cannot be made again.
    case erasedRecord(LowercaseUUID)
    case unknownRevision(String)
    /// No event of the caller's app and environment has this id, or it is too old.
    case unknownEvent(String)
    /// No simulation of the caller's app and environment has this id, or its day is over.
    case unknownSimulation(String)
    /// As many simulations as may wait do.
    case simulationsWaiting
    /// A simulation of the same API key is unfinished.
    case simulationUnfinished(LowercaseUUID, of: OfferId)
    case noWebhook(EventType)
    /// No webhook is for this app and environment, or none of those has the name.
    case noSuchWebhook(String?, known: [String])
    /// No grant of the caller's app and environment has this id.
    case unknownGrant(String)
    /// The customer has a grant of the offer that can still be used.
    case grantExists(LowercaseUUID, offer: OfferId)
    /// An issued offer has used the grant, so it cannot be revoked.
    case grantUsed(LowercaseUUID, by: LowercaseUUID)
    /// The API key has made as many grants today as `grants.perKeyAndDay` allows.
    case grantLimitReached(perDay: Int, resets: Instant, secondsToWait: Int)
    case idempotencyConflict
    /// The identifiers name customers who cannot be one.
    case ambiguousCustomer(detail: String)
    /// An alias is stated of a customer, and Apple's data names it for another one.
    case foreignAlias(kind: String)
    /// Apple's data names the alias for the customer, so it cannot be detached.
    case provenAlias(kind: String)
    /// The role may make the call, but not with this member.
    case forbiddenMember(String, role: Role, hint: String)
    /// The signed data of the request does not prove the customer, without which an `app` key may not act.
    case unprovenCustomer(detail: String)
    /// The catalog in force is another than the one the change was made from.
    case catalogChanged(current: Int)
    case invalidCatalog([DocumentIssue])
    case signedDataRefused([RefusedData])
    /// None of the data that the App Store Server API returned could be verified.
    case appStoreDataRefused([RefusedData])
    /// The App Store knows no customer of this app and environment by that identifier.
    case unknownToAppStore(detail: String, hint: String?)
    /// The App Store Server API gave no answer that can be used.
    case appStoreFailed(AppStoreFailure)
    /// No server answers for the App Store in this environment, such as LocalTesting.
    case noAppStoreServer(AppStoreEnvironment)
    /// The API key may not be used from this address; `nil` if the caller has none.
    case addressNotAllowed(IPAddress?)
    /// Requests come faster than `rateLimits` allows; nothing was written.
    case rateLimited(RateLimited)
    /// Too much comes without a key and is not the App Store's, from one address or from all together; nothing of it was
    /// read.
    case tooManyStrangers(secondsToWait: Int)
    /// Too much work is waiting, or the database stayed locked; asking again later may help.
    case busy
    /// The wall clock is so far behind that no instant of it can be right; nothing is decided until it has caught up.
    case clockBehind(ClockLag)
    /// The configuration does not allow this; the detail names what is missing.
    case notReady(detail: String, hint: String?)

    /// The caller's view of a failure of the store; `nil` for other errors, and for defects of ours.
    ///
    /// The store's own words may name files of the machine, so they belong in the log and not in the answer.
    public init?(storeFailure error: any Error) {
        guard let error = error as? StoreError, error.isOfFile else { return nil }
        switch error {
        case .busy: self = .busy
        // A commit may have gone through whose answer is lost.
        case .unreachable:
            self = .notReady(
                detail: error.publicDetail, hint: "repeat the request; an issue request needs its `Idempotency-Key`")
        default: self = .notReady(detail: error.publicDetail, hint: "tell the operator the requestId")
        }
    }
}

extension StoreError {
    /// The detail for callers over HTTP: names no file of the machine.
    var publicDetail: String {
        switch self {
        case .full: "the disk that holds the database is full, so nothing can be recorded"
        case .readOnly: "the database cannot be written, so nothing can be recorded"
        case .damaged: "the database is damaged"
        case .moved: "the database file was moved, replaced or deleted, so nothing can be recorded"
        case .corrupt, .corruptFacts: "the database holds a row that the service never writes"
        case .busy: "the database is held by another program, so nothing can be recorded"
        default: "the database cannot be used now"
        }
    }
}

extension AppStoreEnvironment {
    /// The text of ``RequestError/noAppStoreServer(_:)``.
    package var noAppStoreServer: (detail: String, hint: String) {
        (
            "Apple's servers know no purchases of \(rawValue)",
            "name a server that answers in Apple's place as `appStoreServer` in offerd.yaml"
        )
    }
}

public struct RefusedData: Sendable, Hashable {
    /// Its place in the request, as a JSON pointer.
    public var pointer: String
    public var refusal: SignedDataRefusal
}
