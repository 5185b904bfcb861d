import OfferModel

/// Keys that sign both for tests and for Apple's environments.
///
/// The bytes that Apple verifies name no environment: a signature made for a test with the key of Production is one that
/// the App Store accepts.
public enum KeySharing {
    /// Finds the first key that does.
    ///
    /// - Parameters:
    ///   - keys: all keys of a document.
    ///   - isSame: whether two of them are one key.
    /// - Returns: what is wrong, at the later of the two entries; `nil` if no key is shared.
    public static func issue(
        among keys: [KeyConfiguration], isSame: (KeyConfiguration, KeyConfiguration) throws -> Bool
    ) rethrows -> DocumentIssue? {
        for (index, key) in keys.enumerated() {
            for other in keys[...index] {
                guard let test = (key.environments + other.environments).first(where: \.isForTests),
                    let real = (key.environments + other.environments).first(where: { !$0.isForTests }),
                    try key == other || isSame(key, other)
                else { continue }
                let whose =
                    key.keyId == other.keyId
                    ? "key `\(key.keyId)` is" : "keys `\(other.keyId)` and `\(key.keyId)` are one key,"
                return DocumentIssue(
                    code: .contradiction, path: key.place?.path ?? "", line: key.place?.line ?? 1,
                    column: key.place?.column ?? 1,
                    detail: "\(whose) used in `\(test.rawValue)` and in `\(real.rawValue)`, where its test "
                        + "signatures are valid",
                    hint: "give each an entry with a key of its own: `environments: [\(test.rawValue)]` on one made by "
                        + "`offerd keys generate`, `environments: [\(real.rawValue)]` on the one from App Store Connect"
                )
            }
        }
        return nil
    }
}

extension AppStoreEnvironment {
    /// Whether signatures are redeemed on a developer's machine only.
    fileprivate var isForTests: Bool {
        switch self {
        case .localTesting, .xcode: true
        case .production, .sandbox: false
        }
    }
}
