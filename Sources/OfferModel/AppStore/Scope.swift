/// Where data comes from and where offers are redeemed; environments never see each other's data.
public enum AppStoreEnvironment: String, Sendable, Hashable, CaseIterable, Codable {
    case production = "Production"
    case sandbox = "Sandbox"
    /// A local App Store made by `offerd dev root`: never trusted for Production.
    case localTesting = "LocalTesting"
    /// StoreKit testing in Xcode, which signs with one certificate: only a configured one is trusted.
    case xcode = "Xcode"

    /// Whether purchases are made by testers, whose history can be cleared and who can be forgotten.
    public var isOfTesters: Bool { self == .sandbox || self == .localTesting }
}

/// One app in one environment: the boundary that customers, offers and keys never cross.
public struct Scope: Sendable, Hashable, CustomStringConvertible {
    public let bundleId: BundleId
    public let environment: AppStoreEnvironment

    public init(bundleId: BundleId, environment: AppStoreEnvironment) {
        self.bundleId = bundleId
        self.environment = environment
    }

    public var description: String { "\(bundleId) in \(environment.rawValue)" }
}

/// How a piece of history, or a statement about it, reached us.
public enum Provenance: String, Sendable, Hashable, CaseIterable, Codable {
    case notification
    /// Signed data sent by the app's backend for its client.
    case client
    case serverAPI
    /// The backend's own word, such as `historyComplete` or a signal.
    case caller
    /// A legacy verifyReceipt answer.
    case receipt
    /// Imported or stated by an authorised operator.
    case `operator`

    /// Whether it is backed by a signature that leads to Apple's root. Proven data outranks the rest whatever its date
    /// (docs/design.md#history-and-state).
    public var isProven: Bool {
        switch self {
        case .notification, .client, .serverAPI: true
        case .caller, .receipt, .operator: false
        }
    }
}

/// What ingesting one payload changed.
public enum IngestOutcome: String, Sendable, Hashable, CaseIterable, Codable {
    case added
    /// A newer view of something known.
    case updated
    case unchanged
    /// Not believed.
    case refused
}
