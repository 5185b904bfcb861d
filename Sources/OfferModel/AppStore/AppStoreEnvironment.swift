/// Where data comes from and where offers are redeemed; nothing of one environment is ever seen by another.
public enum AppStoreEnvironment: String, Sendable, Hashable, CaseIterable, Codable {
    /// The App Store.
    case production = "Production"
    /// Apple's sandbox.
    case sandbox = "Sandbox"
    /// A local App Store made by `offerd dev root`: never trusted for Production.
    case localTesting = "LocalTesting"
    /// StoreKit testing in Xcode; its one-certificate data is refused until that certificate can be pinned.
    case xcode = "Xcode"
}

/// One app in one environment: the boundary that customers, offers and keys never cross.
public struct Scope: Sendable, Hashable, CustomStringConvertible {
    /// The app.
    public let bundleId: BundleId
    /// The environment.
    public let environment: AppStoreEnvironment

    /// One app in one environment.
    public init(bundleId: BundleId, environment: AppStoreEnvironment) {
        self.bundleId = bundleId
        self.environment = environment
    }

    /// `com.example.pro in Sandbox`.
    public var description: String { "\(bundleId) in \(environment.rawValue)" }
}
