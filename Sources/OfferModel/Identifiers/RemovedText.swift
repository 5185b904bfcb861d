/// What stands in the place of a text that was taken away (docs/ledger.md).
public enum RemovedText {
    /// How it begins; its digest follows. A text that somebody types may not begin so: the audit would take it for one that
    /// was taken away, and no event tells of that.
    public static let prefix = "hmac-sha256:"
}
