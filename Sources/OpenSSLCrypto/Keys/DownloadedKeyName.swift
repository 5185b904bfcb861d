import OfferModel

/// The key that a file's name announces: App Store Connect names a download after the service that the key is
/// for and after its id.
public struct DownloadedKeyName {
    private let path: String
    private let name: Substring

    public init(_ path: String) {
        self.path = path
        name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
    }

    /// Refuses a key of another service, with which the App Store accepts no signature, and a key under another id, by
    /// which it would look for the wrong public half.
    ///
    /// - Throws: ``SigningKeyError`` with `otherService` or `otherKeyId`.
    func requireInAppPurchase(_ keyId: KeyId) throws(SigningKeyError) {
        guard !["authkey_", "apikey_"].contains(where: name.lowercased().hasPrefix) else {
            throw SigningKeyError(
                .otherService,
                "key file `\(path)` is by its name a key of the App Store Connect API or of another service, not of "
                    + "In-App Purchase",
                hint:
                    "in App Store Connect, open Users and Access, Integrations, In-App Purchase, and generate a key: its "
                    + "file is `SubscriptionKey_<key id>.p8`")
        }
        guard let id, id != keyId.rawValue else { return }
        throw SigningKeyError(
            .otherKeyId, "key file `\(path)` is by its name the key `\(id)`, not `\(keyId)`",
            hint: "set `keyId` to `\(id)`, or name the file of `\(keyId)`")
    }

    /// The id in the name of an In-App Purchase key as it was downloaded: `SubscriptionKey_<id>.p8`.
    public var id: String? {
        guard name.hasPrefix("SubscriptionKey_"), name.hasSuffix(".p8") else { return nil }
        let id = name.dropFirst("SubscriptionKey_".count).dropLast(".p8".count)
        return (1...32).contains(id.utf8.count) && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            ? String(id) : nil
    }
}
