/// The extensions by which Apple marks the certificates of App Store data; only their presence matters.
///
/// Source: Apple, `JWSDecodedHeader`, and Apple's open-source server libraries.
public enum AppleMarker {
    /// The leaf: Mac App Store and iTunes Store receipt signing.
    public static let leaf = "1.2.840.113635.100.6.11.1"
    /// The intermediate: Worldwide Developer Relations.
    public static let intermediate = "1.2.840.113635.100.6.2.1"
}
