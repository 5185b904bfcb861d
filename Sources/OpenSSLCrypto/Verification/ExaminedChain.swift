/// A chain whose contents and dates are right.
struct ExaminedChain: Sendable {
    /// What it is known by: the same for every spelling of it.
    let key: [UInt8]
    /// What counts once its signatures are checked.
    let verified: VerifiedChain
    /// What is left to check; `nil` if it was verified lately.
    var unverified: UnverifiedChain?
}

/// A chain whose signatures are not checked yet.
struct UnverifiedChain: Sendable {
    let chain: CertificateChain
    let intermediateKey: [UInt8]
    let certificates: [String]
    let trusted: [UInt8]
}
