public import OfferModel

/// The app's account under which an offer is asked for: the aliases that a request names (docs/design.md#identity).
///
/// One Apple Account may have several. They never decide anything; they tell people who took what.
public struct SignUp: Sendable, Hashable {
    /// The UUID that the app gave StoreKit for the account.
    public var appAccountToken: AppAccountToken?
    /// The app's own name of the account.
    public var customerId: CustomerId?

    /// A sign-up by its aliases; nobody's without any.
    public init(appAccountToken: AppAccountToken? = nil, customerId: CustomerId? = nil) {
        self.appAccountToken = appAccountToken
        self.customerId = customerId
    }

    /// Whether no alias is known.
    public var isUnknown: Bool { appAccountToken == nil && customerId == nil }

    /// Whether two are the same account: one alias in common says so; `nil` where none can be compared.
    func isSame(as other: SignUp) -> Bool? {
        let tokens = appAccountToken.flatMap { own in other.appAccountToken.map { own == $0 } }
        let names = customerId.flatMap { own in other.customerId.map { own == $0 } }
        let compared = [tokens, names].compactMap(\.self)
        return compared.isEmpty ? nil : compared.contains(true)
    }

    /// The aliases by their names, the app's own first, as people know it.
    private var aliases: [(name: String, value: String)] {
        (customerId.map { [("customerId", $0.rawValue)] } ?? [])
            + (appAccountToken.map { [("appAccountToken", $0.description)] } ?? [])
    }

    /// For messages: "`customerId` `anna`".
    public var words: String { aliases.map { "`\($0.name)` `\($0.value)`" }.joined(separator: ", ") }

    /// The aliases as evidence below a field, such as `issuedOffer.customerId`.
    func evidence(below field: String, provenance: Provenance, transactionId: TransactionId? = nil) -> [Evidence] {
        aliases.map { name, value in
            Evidence(
                field: "\(field).\(name)", observed: .text(value), provenance: provenance, transactionId: transactionId)
        }
    }
}
