/// Apple's `errorCode` of a refused request. Any number is kept; the static members are those this client knows.
///
/// Source: Apple, App Store Server API, "Error codes".
public struct AppStoreErrorCode: RawRepresentable, Sendable, Hashable, Codable {
    /// Apple's number: the HTTP status, followed by four digits.
    public let rawValue: Int64
    /// Any number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The request is wrong in a way that Apple does not tell.
    public static let generalBadRequest = AppStoreErrorCode(rawValue: 4_000_000)
    /// The token's app is unknown.
    public static let invalidAppIdentifier = AppStoreErrorCode(rawValue: 4_000_002)
    /// The revision is none that Apple gave.
    public static let invalidRequestRevision = AppStoreErrorCode(rawValue: 4_000_005)
    /// The transaction id does not have the form of one.
    public static let invalidTransactionId = AppStoreErrorCode(rawValue: 4_000_006)
    /// The start is further back than Apple keeps notifications.
    public static let startDateTooFarInPast = AppStoreErrorCode(rawValue: 4_000_012)
    /// The start is not before the end.
    public static let startDateAfterEndDate = AppStoreErrorCode(rawValue: 4_000_013)
    /// The pagination token is none that Apple gave for this request.
    public static let invalidPaginationToken = AppStoreErrorCode(rawValue: 4_000_014)
    /// The start is no date.
    public static let invalidStartDate = AppStoreErrorCode(rawValue: 4_000_015)
    /// The end is no date.
    public static let invalidEndDate = AppStoreErrorCode(rawValue: 4_000_016)
    /// The pagination token is too old; the listing begins anew.
    public static let paginationTokenExpired = AppStoreErrorCode(rawValue: 4_000_017)
    /// The type or subtype of notification is unknown.
    public static let invalidNotificationType = AppStoreErrorCode(rawValue: 4_000_018)
    /// A transaction id and a type were both asked for.
    public static let multipleFiltersSupplied = AppStoreErrorCode(rawValue: 4_000_019)
    /// The token of a test notification is none.
    public static let invalidTestNotificationToken = AppStoreErrorCode(rawValue: 4_000_020)
    /// An app transaction id was given where only a transaction's is taken.
    public static let appTransactionIdNotSupported = AppStoreErrorCode(rawValue: 4_000_048)
    /// Apple knows no such account.
    public static let accountNotFound = AppStoreErrorCode(rawValue: 4_040_001)
    /// The same, perhaps for a moment.
    public static let accountNotFoundRetryable = AppStoreErrorCode(rawValue: 4_040_002)
    /// Apple knows no such app.
    public static let appNotFound = AppStoreErrorCode(rawValue: 4_040_003)
    /// The same, perhaps for a moment.
    public static let appNotFoundRetryable = AppStoreErrorCode(rawValue: 4_040_004)
    /// Apple knows no such subscription.
    public static let originalTransactionIdNotFound = AppStoreErrorCode(rawValue: 4_040_005)
    /// The same, perhaps for a moment.
    public static let originalTransactionIdNotFoundRetryable = AppStoreErrorCode(rawValue: 4_040_006)
    /// The app has no URL for notifications in this environment.
    public static let serverNotificationURLNotFound = AppStoreErrorCode(rawValue: 4_040_007)
    /// The test notification is too old, or its result is not there yet.
    public static let testNotificationNotFound = AppStoreErrorCode(rawValue: 4_040_008)
    /// No such transaction in this environment and app.
    public static let transactionIdNotFound = AppStoreErrorCode(rawValue: 4_040_010)
    /// The customer has no app transaction.
    public static let appTransactionDoesNotExist = AppStoreErrorCode(rawValue: 4_040_019)
    /// Too many requests.
    public static let rateLimitExceeded = AppStoreErrorCode(rawValue: 4_290_000)
    /// Something failed at Apple, for good.
    public static let generalInternal = AppStoreErrorCode(rawValue: 5_000_000)
    /// Something failed at Apple, perhaps for a moment.
    public static let generalInternalRetryable = AppStoreErrorCode(rawValue: 5_000_001)

    /// Whether Apple says that asking again may help.
    public var isRetryable: Bool {
        switch self {
        case .accountNotFoundRetryable, .appNotFoundRetryable, .originalTransactionIdNotFoundRetryable,
            .generalInternalRetryable:
            true
        default: false
        }
    }
}
