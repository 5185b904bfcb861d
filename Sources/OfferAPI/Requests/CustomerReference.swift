public import OfferModel

/// How a request names a customer; at least one member is given.
public struct CustomerReference: Sendable, Hashable, Codable {
    /// A subscription of the customer: proven once a verified transaction shows it.
    public var originalTransactionId: TransactionId?
    /// The Apple Account in this app: proven once verified data shows it.
    public var appTransactionId: AppTransactionId?
    /// The app's account UUID: an alias.
    public var appAccountToken: AppAccountToken?
    /// The app's own name: an alias.
    public var customerId: CustomerId?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case originalTransactionId
        case appTransactionId
        case appAccountToken
        case customerId
    }

    /// A reference by its parts.
    public init(
        originalTransactionId: TransactionId? = nil, appTransactionId: AppTransactionId? = nil,
        appAccountToken: AppAccountToken? = nil, customerId: CustomerId? = nil
    ) {
        self.originalTransactionId = originalTransactionId
        self.appTransactionId = appTransactionId
        self.appAccountToken = appAccountToken
        self.customerId = customerId
    }

    /// Reads a reference and refuses unknown members.
    ///
    /// - Throws: ``RequestFault`` for an unknown member, else `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try ClosedObject.container(decoder, keyedBy: CodingKeys.self)
        originalTransactionId = try container.decodeIfPresent(TransactionId.self, forKey: .originalTransactionId)
        appTransactionId = try container.decodeIfPresent(AppTransactionId.self, forKey: .appTransactionId)
        appAccountToken = try container.decodeIfPresent(AppAccountToken.self, forKey: .appAccountToken)
        customerId = try container.decodeIfPresent(CustomerId.self, forKey: .customerId)
    }

    /// Whether no member is given.
    public var isEmpty: Bool {
        originalTransactionId == nil && appTransactionId == nil && appAccountToken == nil && customerId == nil
    }
}

/// The customer's own names, attached to whom the signed data proves.
public struct CustomerAliases: Sendable, Hashable, Codable {
    /// The app's account UUID.
    public var appAccountToken: AppAccountToken?
    /// The app's own name.
    public var customerId: CustomerId?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case appAccountToken
        case customerId
    }

    /// Aliases by their parts.
    public init(appAccountToken: AppAccountToken? = nil, customerId: CustomerId? = nil) {
        self.appAccountToken = appAccountToken
        self.customerId = customerId
    }

    /// Reads aliases and refuses unknown members.
    ///
    /// - Throws: ``RequestFault`` for an unknown member, else `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try ClosedObject.container(decoder, keyedBy: CodingKeys.self)
        appAccountToken = try container.decodeIfPresent(AppAccountToken.self, forKey: .appAccountToken)
        customerId = try container.decodeIfPresent(CustomerId.self, forKey: .customerId)
    }
}

/// The device that asks.
public struct RequestFactsBody: Sendable, Hashable, Codable {
    /// The app's version.
    public var appVersion: String?
    /// The operating system's version.
    public var osVersion: String?
    /// The customer's locale.
    public var locale: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case appVersion
        case osVersion
        case locale
    }

    /// Facts by their parts.
    public init(appVersion: String? = nil, osVersion: String? = nil, locale: String? = nil) {
        self.appVersion = appVersion
        self.osVersion = osVersion
        self.locale = locale
    }

    /// Reads facts and refuses unknown members.
    ///
    /// - Throws: ``RequestFault`` for an unknown member, else `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try ClosedObject.container(decoder, keyedBy: CodingKeys.self)
        appVersion = try container.decodeIfPresent(String.self, forKey: .appVersion)
        osVersion = try container.decodeIfPresent(String.self, forKey: .osVersion)
        locale = try container.decodeIfPresent(String.self, forKey: .locale)
    }
}
