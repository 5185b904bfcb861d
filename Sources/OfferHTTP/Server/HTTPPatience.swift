/// How long the server waits for one client; a client that is slower loses its connection.
public struct HTTPPatience: Sendable, Hashable {
    /// Without a request: from the last answer, or from the opening of the connection, to the next byte.
    public var idle = Duration.seconds(30)
    /// From a request's first byte to the end of its headers.
    public var headers = Duration.seconds(10)
    /// From the end of the headers to the end of the body.
    public var body = Duration.seconds(20)
    /// Without the client taking any of an answer that waits to be sent.
    public var answer = Duration.seconds(20)
    /// After an answer to a late request, for the client to read it before the connection is gone.
    public var farewell = Duration.seconds(1)

    /// 30 s idle, 10 s for headers, 20 s for a body, 20 s for taking an answer.
    public init() {}

    /// How often it is looked whether somebody is late.
    var interval: Duration {
        let shortest = min(idle, headers, body, answer)
        return min(max(shortest / 4, .milliseconds(1)), .seconds(1))
    }
}
