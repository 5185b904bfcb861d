/// A request that its client may repeat: under one key the same body gets the same answer (docs/design.md#issuing).
public struct IdempotentRequest: Sendable {
    /// What the client sent as `Idempotency-Key`.
    public var key: String
    /// The method and path template, such as `POST /v1/issued-offers`.
    public var route: String
    /// The request's body as it came.
    public var body: [UInt8]

    /// A request by its parts.
    public init(key: String, route: String, body: [UInt8]) {
        self.key = key
        self.route = route
        self.body = body
    }
}
