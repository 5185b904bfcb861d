import OfferSigning

/// What is kept of a chain that was verified: enough to judge each payload's own date and signature.
struct VerifiedChain: Sendable {
    /// Checks signatures of the leaf's key.
    let leaf: VerifyingContext
    /// When all three certificates are valid.
    let validity: ChainValidity
    /// Whose root it leads to.
    let anchor: TrustAnchor
}
