import FoundationEssentials
import OfferModel

/// Puts one question until it is answered, may not be put again, or its time is over.
struct Exchange: Sendable {
    let access: AppStoreServerAccess
    let policy: CallPolicy
    let transport: any AppStoreServerTransport
    let time: any CallTime
    let jitter: @Sendable (ClosedRange<Int64>) -> Int64

    /// Reads the answer; members that Apple adds later are ignored.
    func answer<Answer: Decodable>(
        _ type: Answer.Type, to question: Question, at endpoint: AppStoreServerClient.Endpoint, by deadline: Int64
    ) async throws(AppStoreServerError) -> Answer {
        let body = try await body(of: question, at: endpoint, by: deadline)
        guard let answer = try? JSONDecoder().decode(type, from: Data(body)) else {
            throw AppStoreServerError(
                .unreadableAnswer, "the answer of `\(endpoint.host)` is not the one Apple documents",
                hint: "check that nothing between this machine and Apple answers in its place", status: 200)
        }
        return answer
    }

    private func body(
        of question: Question, at endpoint: AppStoreServerClient.Endpoint, by deadline: Int64
    ) async throws(AppStoreServerError) -> [UInt8] {
        var attempts = 0
        while true {
            try await takeTurn(question, endpoint, by: deadline, attempts: attempts)
            attempts += 1
            switch try await attempt(question, endpoint, by: deadline) {
            case .answered(let body): return body
            case .refused(let refused):
                let error = refused.error(of: access, at: endpoint.host, attempts: attempts)
                guard question.mayBeAskedAgain(after: refused) else { throw error }
                try await pause(after: attempts, until: refused.retryAt, by: deadline, or: error)
            case .failed(let failure):
                let error = Self.error(failure, endpoint.host, attempts: attempts)
                guard question.isRepeatable, failure.isPassing else { throw error }
                try await pause(after: attempts, until: nil, by: deadline, or: error)
            }
        }
    }

    private enum Outcome {
        case answered([UInt8])
        case refused(RefusedAnswer)
        case failed(TransportFailure)
    }

    private func attempt(
        _ question: Question, _ endpoint: AppStoreServerClient.Endpoint, by deadline: Int64
    ) async throws(AppStoreServerError) -> Outcome {
        let request = AppStoreServerRequest(
            method: question.method, url: endpoint.host.address + question.target,
            token: try access.token(now: time.now), body: question.body)
        let left = deadline - time.elapsedMilliseconds
        guard left > 0 else { return .failed(.timedOut) }
        do throws(TransportFailure) {
            let reply = try await transport.reply(
                to: request, withinMilliseconds: min(policy.requestMilliseconds, left),
                atMostBytes: policy.maximumAnswerBytes)
            return (200..<300).contains(reply.status)
                ? .answered(reply.body) : .refused(RefusedAnswer(reply, now: time.now))
        } catch {
            return .failed(error)
        }
    }

    private func takeTurn(
        _ question: Question, _ endpoint: AppStoreServerClient.Endpoint, by deadline: Int64, attempts: Int
    ) async throws(AppStoreServerError) {
        let now = time.elapsedMilliseconds
        let wait = endpoint.pace.takeTurn(question.calls, at: now, waitingAtMost: max(deadline - now, 0))
        guard wait <= max(deadline - now, 0) else {
            throw AppStoreServerError(
                .rateLimited, "too many calls wait for their turn at `\(endpoint.host)`", hint: "try again later",
                retryAt: time.now.adding(milliseconds: wait), attempts: attempts)
        }
        try await sleep(wait, attempts: attempts)
    }

    /// Waits before the next attempt, or throws the error at once where there will be none in time.
    private func pause(
        after attempts: Int, until retryAt: Instant?, by deadline: Int64, or error: AppStoreServerError
    ) async throws(AppStoreServerError) {
        guard attempts < policy.attempts else { throw error }
        let ceiling = policy.backoffCeiling(afterAttempts: attempts)
        let wait =
            if let retryAt {
                max(retryAt.milliseconds(since: time.now), 0).addingReportingOverflow(jitter(0...ceiling / 2))
                    .partialValue
            } else {
                jitter(ceiling / 2...ceiling)
            }
        guard wait >= 0, wait < deadline - time.elapsedMilliseconds else { throw error }
        try await sleep(wait, attempts: attempts)
    }

    private func sleep(_ milliseconds: Int64, attempts: Int) async throws(AppStoreServerError) {
        do {
            try Task.checkCancellation()
            if milliseconds > 0 { try await time.sleep(milliseconds: milliseconds) }
        } catch {
            throw AppStoreServerError(.cancelled, "the call was cancelled", attempts: attempts)
        }
    }

    private static func error(
        _ failure: TransportFailure, _ host: AppStoreServerHost, attempts: Int
    ) -> AppStoreServerError {
        switch failure {
        case .unreachable(let reason):
            AppStoreServerError(
                .unreachable, "`\(host)` cannot be reached: \(reason)",
                hint: "check this machine's way to the internet, its names and its firewall", attempts: attempts)
        case .brokenOff:
            AppStoreServerError(
                .unreachable, "`\(host)` ended the connection before the answer was complete",
                hint: "try again later", attempts: attempts)
        case .timedOut:
            AppStoreServerError(
                .timedOut, "no answer of `\(host)` came in time", hint: "try again later", attempts: attempts)
        case .tooLarge:
            AppStoreServerError(
                .unreadableAnswer, "the answer of `\(host)` is longer than any of Apple's", attempts: attempts)
        case .unreadable(let reason):
            AppStoreServerError(
                .unreadableAnswer, "`\(host)` does not answer as Apple does: \(reason)",
                hint: "check that nothing between this machine and Apple answers in its place", attempts: attempts)
        case .cancelled:
            AppStoreServerError(.cancelled, "the call was cancelled", attempts: attempts)
        }
    }
}

extension TransportFailure {
    /// Whether it may be over a moment later.
    fileprivate var isPassing: Bool {
        switch self {
        case .unreachable, .timedOut, .brokenOff: true
        case .tooLarge, .unreadable, .cancelled: false
        }
    }
}
