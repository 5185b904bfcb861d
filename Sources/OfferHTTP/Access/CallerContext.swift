import Hummingbird
import OfferApplication
import OfferModel

/// A request of somebody whose role may make it.
///
/// Its only initialiser refuses everyone else, so a method that takes this context cannot be reached without a key.
struct CallerContext<Access: CallerAccess>: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    /// The request's id.
    let requestId: LowercaseUUID
    /// Who calls.
    let caller: Caller

    /// Lets the caller in.
    ///
    /// - Throws: ``Problem`` `unauthenticated` or `forbidden`.
    init(context: OfferContext) throws {
        guard var caller = context.caller else { throw Problem.unauthenticated(tokenWasGiven: false) }
        guard caller.role == .admin || Access.roles.contains(caller.role) else {
            throw Problem.forbidden(role: caller.role, needed: Access.roles)
        }
        coreContext = context.coreContext
        requestId = context.requestId
        caller.requestId = context.requestId
        self.caller = caller
    }
}
