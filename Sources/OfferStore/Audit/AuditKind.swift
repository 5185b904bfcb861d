/// What an event of the audit tells of. The list is closed; a word is never used for something else.
public enum AuditKind: String, Sendable, Hashable, CaseIterable, Codable, Storable {
    /// A slot was issued, with its first signing.
    case issue
    /// One more signing was made under an open slot.
    case signing
    /// The answer to an issue request was no, or could not be decided.
    case refusal
    /// Apple's use of an offer became known.
    case redemption
    /// The customer bought at full price right after a signature.
    case fullPrice
    /// A slot stopped being open, because it has passed or was redeemed.
    case settlement
    /// A slot was voided.
    case void
    /// An offer, or every offer, was paused.
    case pause
    /// A pause was ended.
    case resume
    /// A catalog revision was put in force.
    case catalog
    /// The signing keys of the configuration are not those of the last start.
    case keys
    /// Two customers were proven to be one.
    case merge
    /// An API key was made.
    case apiKeyCreated
    /// An API key was revoked.
    case apiKeyRevoked
    /// Rows whose time was over were taken away.
    case retention
    /// A customer's personal data was blanked.
    case erasure
    /// The store's time was set back after a clock that once ran ahead, or a slot counts again because of that.
    case clockReset
    /// An alias that was only stated was taken from a customer.
    case unlink
    /// An operator brought history in.
    case imported = "import"
    /// The audit was signed as far as it went.
    case checkpoint
}
