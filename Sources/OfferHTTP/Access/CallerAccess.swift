import OfferModel

/// Which roles may make a call; `admin` may make all (docs/design.md#http).
protocol CallerAccess: Sendable {
    /// The roles, in the order the documentation names them.
    static var roles: [Role] { get }
}

/// The app's backend.
enum ClientAccess: CallerAccess {
    static let roles: [Role] = [.client]
}

/// People who help customers.
enum SupportAccess: CallerAccess {
    static let roles: [Role] = [.support]
}

/// People who configure offers.
enum MarketingAccess: CallerAccess {
    static let roles: [Role] = [.marketing]
}

/// The app's backend, and people who help customers.
enum ClientOrSupportAccess: CallerAccess {
    static let roles: [Role] = [.client, .support]
}

/// People who configure offers, and people who help customers.
enum MarketingOrSupportAccess: CallerAccess {
    static let roles: [Role] = [.marketing, .support]
}

/// Everyone with a key.
enum AnyKeyAccess: CallerAccess {
    static let roles: [Role] = [.client, .support, .marketing]
}
