/// How long the server waits for a client; a slower client loses its connection.
public struct HTTPTimeouts: Sendable, Hashable {
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

    var interval: Duration {
        let shortest = min(idle, headers, body, answer)
        return min(max(shortest / 4, .milliseconds(1)), .seconds(1))
    }
}

/// The phase a connection is in and its deadline, as a state machine without clock or channel.
///
/// The first byte starts a request's deadline and no later byte extends it, so a client that trickles bytes is late
/// too.
struct ConnectionDeadlines: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The next action.
    enum Verdict: Sendable, Equatable {
        case wait
        /// Close without an answer: there is none to give, or the client does not read it.
        case close
        /// The headers are incomplete: answer with a problem, and close.
        case refuse
        /// The body is incomplete: its reader gets ``LateBody``.
        case giveUpBody
    }

    private enum Phase {
        case idle
        case headers
        case body
        case answering
        /// The body was given up; the answer to it is the connection's last.
        case bodyGivenUp
        /// The request was answered while the client still sends its body.
        case rest
        case leaving
    }

    private let patience: HTTPTimeouts
    private var phase = Phase.idle
    private var until: Instant?
    private var untilTaken: Instant?
    /// Whether bytes have come during a request of which nothing is understood yet: they may begin the next one, whose
    /// sender had the answer before it was noted here.
    private var hasUnread = false

    init(_ patience: HTTPTimeouts, at now: Instant) {
        self.patience = patience
        until = now + patience.idle
    }

    /// Whether the last answer is given, so that nothing more is read.
    var isLeaving: Bool { phase == .leaving }

    mutating func received(at now: Instant) {
        switch phase {
        case .idle: enter(.headers, until: now + patience.headers)
        case .headers, .leaving: break
        case .body, .answering, .bodyGivenUp, .rest: hasUnread = true
        }
    }

    /// Bytes were parsed as part of a request, so its headers are complete. The task that answers may not have seen
    /// them yet; the client is not late for that.
    mutating func readHeaders() {
        hasUnread = false
        if phase == .headers { enter(.answering, until: nil) }
    }

    mutating func began(withBody: Bool, at now: Instant) {
        guard phase != .leaving else { return }
        withBody ? enter(.body, until: now + patience.body) : enter(.answering, until: nil)
    }

    /// The answer was handed to the channel. If it is the last, the time to read it counts from the next check: only
    /// then is it certainly on its way.
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

    /// Whether the client reads what is sent to it.
    mutating func takesAnswers(_ takes: Bool, at now: Instant) {
        untilTaken = takes ? nil : untilTaken ?? now + patience.answer
    }

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
