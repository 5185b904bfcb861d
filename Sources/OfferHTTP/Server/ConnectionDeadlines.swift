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

/// What one connection does and until when it may go on so: no clock, no channel, only rules.
///
/// A byte is enough to begin a request and no byte prolongs it, so a client that sends one now and then is late too.
struct ConnectionPatience: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// What is to be done now.
    enum Verdict: Sendable, Equatable {
        /// Nobody is late.
        case wait
        /// The connection is closed without an answer: there is none to give, or nobody takes it.
        case close
        /// No request has come together: say so, and close.
        case refuse
        /// A request lacks the rest of its body: whoever reads it is told.
        case giveUpBody
    }

    private enum Phase {
        case idle
        case headers
        case body
        case answering
        /// The body is given up; the answer to it is the last.
        case bodyGivenUp
        /// The answer is given, and the client still sends the body it belongs to.
        case rest
        case leaving
    }

    private let patience: HTTPPatience
    private var phase = Phase.idle
    private var until: Instant?
    private var untilTaken: Instant?
    /// Whether bytes have come during a request of which nothing is understood yet: they may begin the next one, whose
    /// sender had the answer before it was noted here.
    private var hasUnread = false

    /// A connection that has just opened.
    init(_ patience: HTTPPatience, at now: Instant) {
        self.patience = patience
        until = now + patience.idle
    }

    /// Whether the last answer is given, so that nothing more is read.
    var isLeaving: Bool { phase == .leaving }

    /// Bytes have come.
    mutating func received(at now: Instant) {
        switch phase {
        case .idle: enter(.headers, until: now + patience.headers)
        case .headers, .leaving: break
        case .body, .answering, .bodyGivenUp, .rest: hasUnread = true
        }
    }

    /// Bytes have become part of a request, whose headers are whole then. Who is to answer may not have seen them yet,
    /// which is no fault of the client's.
    mutating func readHeaders() {
        hasUnread = false
        if phase == .headers { enter(.answering, until: nil) }
    }

    /// Somebody begins to answer a request.
    mutating func began(withBody: Bool, at now: Instant) {
        guard phase != .leaving else { return }
        withBody ? enter(.body, until: now + patience.body) : enter(.answering, until: nil)
    }

    /// The answer to the request that began last has been handed over to be sent. If it is the last, the time to read it
    /// counts from the next look: only then is it sure to be on its way.
    mutating func answered(at now: Instant) {
        switch phase {
        case .bodyGivenUp: enter(.leaving, until: nil)
        case .body: phase = .rest
        case .idle, .headers, .answering, .rest:
            hasUnread ? enter(.headers, until: now + patience.headers) : enter(.idle, until: now + patience.idle)
            hasUnread = false
        case .leaving: break
        }
    }

    /// The body of the request that began last is read to its end.
    mutating func readBody() {
        if phase == .body { enter(.answering, until: nil) }
    }

    /// The client takes what is sent to it, or has stopped doing so.
    mutating func takesAnswers(_ takes: Bool, at now: Instant) {
        untilTaken = takes ? nil : untilTaken ?? now + patience.answer
    }

    /// Who is late, and what comes of it.
    mutating func verdict(at now: Instant) -> Verdict {
        if let untilTaken, untilTaken <= now { return .close }
        if phase == .leaving, until == nil { until = now + patience.farewell }
        guard let until, until <= now else { return .wait }
        switch phase {
        case .headers:
            enter(.leaving, until: now + patience.farewell)
            return .refuse
        case .body:
            enter(.bodyGivenUp, until: nil)
            return .giveUpBody
        case .rest:
            enter(.leaving, until: now + patience.farewell)
            return .wait
        case .idle, .leaving, .answering, .bodyGivenUp:
            return .close
        }
    }

    private mutating func enter(_ phase: Phase, until: Instant?) {
        self.phase = phase
        self.until = until
    }
}
