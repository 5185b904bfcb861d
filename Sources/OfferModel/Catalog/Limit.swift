/// How often an offer may be issued (docs/design.md#issued-offers-and-limits).
public enum Limit: Sendable, Hashable {
    /// So many slots per customer, within a window if there is one.
    case perCustomer(count: Int, window: Period?, across: Across)
    /// So many slots in all.
    case total(count: Int)
    /// So much nominal discount in all.
    case budget(Money)

    /// Which offers' slots a limit counts.
    public enum Across: Sendable, Hashable {
        /// This offer's.
        case thisOffer
        /// Every offer's.
        case all
        /// Those of every offer with that tag.
        case tag(String)
    }
}
