public import OfferModel

/// `POST /v1/app-store/{bundleId}/{environment}/notifications`, Apple's `responseBodyV2`.
///
/// Apple writes it, so members that it adds later are passed over.
public struct NotificationRequestBody: Sendable, Hashable, Codable {
    /// The notification as a compact JWS.
    public var signedPayload: String

    private enum CodingKeys: CodingKey {
        case signedPayload
    }

    /// A request by its parts.
    public init(signedPayload: String) {
        self.signedPayload = signedPayload
    }

    /// Reads a request.
    ///
    /// - Throws: ``RequestFault`` without `signedPayload`, which unsigned notifications of Version 1 lack; `DecodingError`
    ///   if it is no text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let signedPayload = try container.decodeIfPresent(String.self, forKey: .signedPayload) else {
            throw RequestFault(
                .root.appending("signedPayload"), .missingMember, "the member `signedPayload` is missing",
                hint: "choose Version 2 notifications in App Store Connect: those of Version 1 are not signed")
        }
        self.signedPayload = signedPayload
    }
}

/// A notification that is stored now. The App Store looks at the status alone.
public struct NotificationBody: Sendable, Hashable, Codable {
    /// Its id.
    public var notificationUUID: String
    /// What it tells about.
    public var notificationType: NotificationType
    /// What it tells in particular.
    public var subtype: NotificationSubtype?
    /// What it meant for the history when it was stored first: `added`, `updated`, `unchanged` or `noHistory`.
    public var outcome: NotificationOutcome
    /// Whether it was stored before.
    public var repeated: Bool

    /// A notification by its parts.
    public init(
        notificationUUID: String, notificationType: NotificationType, subtype: NotificationSubtype?,
        outcome: NotificationOutcome, repeated: Bool
    ) {
        self.notificationUUID = notificationUUID
        self.notificationType = notificationType
        self.subtype = subtype
        self.outcome = outcome
        self.repeated = repeated
    }
}
