import Testing

@testable import OfferHTTP

@Suite("Deadlines of a connection")
struct ConnectionDeadlinesTests {
    private let start = ContinuousClock.now
    private var connection: ConnectionDeadlines

    init() {
        var patience = HTTPTimeouts()
        patience.idle = .seconds(30)
        patience.headers = .seconds(10)
        patience.body = .seconds(20)
        patience.answer = .seconds(15)
        patience.farewell = .seconds(1)
        connection = ConnectionDeadlines(patience, at: start)
    }

    private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test("one that never speaks is closed after the idle time, not before")
    mutating func silent() {
        #expect(connection.verdict(at: at(29.9)) == .wait)
        #expect(connection.verdict(at: at(30)) == .close)
    }

    @Test("headers have their time from the first byte, and no further byte prolongs it")
    mutating func headers() {
        for second in 25..<35 {
            connection.received(at: at(Double(second)))
            #expect(connection.verdict(at: at(Double(second))) == .wait)
        }
        #expect(!connection.isLeaving)
        #expect(connection.verdict(at: at(35)) == .refuse)
        #expect(connection.isLeaving)
        #expect(connection.verdict(at: at(35.9)) == .wait)
        #expect(connection.verdict(at: at(36)) == .close)
    }

    @Test("headers that are whole are not late, however long nobody answers them")
    mutating func wholeHeaders() {
        connection.received(at: at(0))
        connection.readHeaders()
        #expect(connection.verdict(at: at(1_000)) == .wait)
        connection.began(withBody: true, at: at(1_000))
        connection.readHeaders()
        #expect(connection.verdict(at: at(1_020)) == .giveUpBody)
    }

    @Test("a body has its time from the end of the headers; it is given up once, and the answer is the last")
    mutating func body() {
        connection.received(at: at(0))
        connection.began(withBody: true, at: at(5))
        connection.received(at: at(24))
        #expect(connection.verdict(at: at(24.9)) == .wait)
        #expect(connection.verdict(at: at(25)) == .giveUpBody)
        #expect(connection.verdict(at: at(500)) == .wait, "whoever reads the body is answering now")
        #expect(!connection.isLeaving)
        connection.answered(at: at(500))
        #expect(connection.isLeaving)
        #expect(connection.verdict(at: at(505)) == .wait, "the answer may still be on its way to the socket")
        #expect(connection.verdict(at: at(505.5)) == .wait)
        #expect(connection.verdict(at: at(506)) == .close)
    }

    @Test("once the body is here, the answer may take as long as it takes; then the idle time begins anew")
    mutating func answering() {
        connection.received(at: at(0))
        connection.began(withBody: true, at: at(1))
        connection.readBody()
        #expect(connection.verdict(at: at(1_000)) == .wait)
        connection.answered(at: at(1_000))
        #expect(connection.verdict(at: at(1_029.9)) == .wait)
        #expect(connection.verdict(at: at(1_030)) == .close)
    }

    @Test("a request without a body is answered in its own time too, and the next has its own time for headers")
    mutating func withoutBody() {
        connection.began(withBody: false, at: at(1))
        #expect(connection.verdict(at: at(100)) == .wait)
        connection.answered(at: at(100))
        connection.received(at: at(101))
        #expect(connection.verdict(at: at(110.9)) == .wait)
        #expect(connection.verdict(at: at(111)) == .refuse)
    }

    @Test("a next request begun before the answer to the one before is noted has its time for headers from that answer")
    mutating func earlyBytes() {
        connection.began(withBody: false, at: at(1))
        connection.received(at: at(2))
        connection.answered(at: at(3))
        connection.received(at: at(12))
        #expect(connection.verdict(at: at(12.9)) == .wait)
        #expect(connection.verdict(at: at(13)) == .refuse)
    }

    @Test("a next request that is whole before the answer to the one before is noted is not waited for")
    mutating func earlyRequest() {
        connection.began(withBody: true, at: at(1))
        connection.readBody()
        connection.received(at: at(2))
        connection.readHeaders()
        connection.answered(at: at(3))
        #expect(connection.verdict(at: at(32.9)) == .wait)
        #expect(connection.verdict(at: at(33)) == .close)
    }

    @Test("a body that is still coming when its answer is given has no more time than before")
    mutating func rest() {
        connection.began(withBody: true, at: at(0))
        connection.answered(at: at(1))
        connection.received(at: at(19))
        #expect(connection.verdict(at: at(19.9)) == .wait)
        #expect(connection.verdict(at: at(20)) == .wait)
        #expect(connection.isLeaving)
        connection.began(withBody: false, at: at(20.5))
        connection.answered(at: at(20.5))
        #expect(connection.verdict(at: at(21)) == .close, "what was asked meanwhile keeps nothing open")
    }

    @Test("a client that takes nothing of its answers is closed, one that takes some in time is not")
    mutating func taking() {
        connection.began(withBody: false, at: at(0))
        connection.takesAnswers(false, at: at(1))
        connection.takesAnswers(false, at: at(10))
        #expect(connection.verdict(at: at(15.5)) == .wait)
        connection.takesAnswers(true, at: at(15.5))
        connection.takesAnswers(false, at: at(15.5))
        #expect(connection.verdict(at: at(30)) == .wait)
        #expect(connection.verdict(at: at(30.5)) == .close)
    }
}
