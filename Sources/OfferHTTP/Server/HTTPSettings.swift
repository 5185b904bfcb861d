/// Where the server listens and what it bears.
public struct HTTPSettings: Sendable, Hashable {
    /// The host name or address.
    public var host: String
    /// The port; 0 takes a free one.
    public var port: Int
    /// What it bears.
    public var limits: HTTPLimits

    /// Settings by their parts.
    public init(host: String, port: Int, limits: HTTPLimits = HTTPLimits()) {
        self.host = host
        self.port = port
        self.limits = limits
    }
}

/// What one client can make the server bear.
public struct HTTPLimits: Sendable, Hashable {
    /// Open connections; more wait in the system's queue until one is closed. Each needs a file descriptor.
    public var connections = 1_024
    /// How long the server waits for a client.
    public var patience = HTTPPatience()
    /// Bytes of all header lines, and of one.
    public var headerBytes = 16 * 1_024
    /// Header lines.
    public var headerCount = 100
    /// Bytes of a body that carries signed data: 2 MiB (docs/design.md#http).
    public var signedDataBytes = 2 * 1_024 * 1_024
    /// Bytes of a catalog.
    public var catalogBytes = 2 * 1_024 * 1_024
    /// Bytes of a notification: 256 KiB (docs/design.md#http).
    public var notificationBytes = 256 * 1_024
    /// Notifications at work at once; a further one is told to come back.
    public var notifications = 256
    /// Bytes of every other body.
    public var bodyBytes = 256 * 1_024

    /// The limits of docs/design.md#http.
    public init() {}
}
