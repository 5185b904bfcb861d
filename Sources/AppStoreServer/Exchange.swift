import OfferModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sends one request until it is answered or refused, or its time is over.
struct Exchange: Sendable {
    let access: AppStoreServerAccess
    var policy: CallPolicy
    let transport: any AppStoreServerTransport
    let time: any CallTime
    let jitter: @Sendable (ClosedRange<Int64>) -> Int64

    /// Reads the answer; members that Apple adds later are ignored.
    func answer<Answer: Decodable>(
        _ type: Answer.Type, to endpoint: Endpoint, at server: AppStoreServerClient.Server, by deadline: Int64
    ) async throws(AppStoreServerError) -> Answer {
        let body = try await body(of: endpoint, at: server, by: deadline)
        guard let answer = try? JSONDecoder().decode(type, from: Data(body)), Self.canContinue(answer) else {
            throw AppStoreServerError(
                .unreadableAnswer, "the answer of `\(server.host)` is not the one Apple documents",
                hint: "check for a proxy that answers instead of Apple", status: 200)
        }
        return answer
    }

    /// Whether an answer that has more pages says where they continue.
    private static func canContinue(_ answer: some Decodable) -> Bool {
        guard let page = answer as? any AnswerPage, page.hasMore else { return true }
        return page.nextPage?.isEmpty == false
    }

    private func body(
        of endpoint: Endpoint, at server: AppStoreServerClient.Server, by deadline: Int64
    ) async throws(AppStoreServerError) -> [UInt8] {
        var attempts = 0
        while true {
            try await waitForTurn(endpoint, server, by: deadline, attempts: attempts)
            attempts += 1
            switch try await attempt(endpoint, server, by: deadline) {
            case .success(let reply) where (200..<300).contains(reply.status): return reply.body
            case .success(let reply):
                let refused = RefusedAnswer(reply, now: time.now)
                let error = refused.error(of: access, at: server.host, attempts: attempts)
                guard refused.isRetryable else { throw error }
                try await pause(after: attempts, until: refused.retryAt, by: deadline, or: error)
            case .failure(let failure):
                let error = Self.error(failure, server.host, attempts: attempts)
                guard error.code == .unreachable || error.code == .timedOut else { throw error }
                try await pause(after: attempts, until: nil, by: deadline, or: error)
            }
        }
    }

    private func attempt(
        _ endpoint: Endpoint, _ server: AppStoreServerClient.Server, by deadline: Int64
    ) async throws(AppStoreServerError) -> Result<AppStoreServerReply, TransportFailure> {
        let request = AppStoreServerRequest(
            method: endpoint.method, url: server.host.address + endpoint.target,
            token: try access.token(now: time.now), body: endpoint.body)
        let left = deadline - time.elapsedMilliseconds
        guard left > 0 else { return .failure(.timedOut) }
        do throws(TransportFailure) {
            return .success(
                try await transport.reply(
                    to: request, withinMilliseconds: min(policy.requestMilliseconds, left),
                    atMostBytes: policy.maximumAnswerBytes))
        } catch {
            return .failure(error)
        }
    }

    private func waitForTurn(
        _ endpoint: Endpoint, _ server: AppStoreServerClient.Server, by deadline: Int64, attempts: Int
    ) async throws(AppStoreServerError) {
        let now = time.elapsedMilliseconds
        let wait = server.limiter.reserve(endpoint.calls, at: now, waitingAtMost: max(deadline - now, 0))
        guard wait <= max(deadline - now, 0) else {
            throw AppStoreServerError(
                .rateLimited, "too many calls are waiting for `\(server.host)`", hint: "try again later",
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
                hint: "check this machine's internet access, DNS and firewall", attempts: attempts)
        case .brokenOff:
            AppStoreServerError(
                .unreachable, "`\(host)` ended the connection before the answer was complete",
                hint: "try again later", attempts: attempts)
        case .timedOut:
            AppStoreServerError(
                .timedOut, "`\(host)` did not answer in time", hint: "try again later", attempts: attempts)
        case .tooLarge:
            AppStoreServerError(
                .unreadableAnswer, "the response of `\(host)` is longer than Apple's responses ever are",
                attempts: attempts)
        case .unreadable(let reason):
            AppStoreServerError(
                .unreadableAnswer, "`\(host)` does not answer as Apple does: \(reason)",
                hint: "check for a proxy that answers instead of Apple", attempts: attempts)
        case .cancelled:
            AppStoreServerError(.cancelled, "the call was cancelled", attempts: attempts)
        }
    }
}

/// The timeouts and retries of a call, by default for a person who is waiting.
public struct CallPolicy: Sendable, Hashable {
    public var attempts = 3
    public var requestMilliseconds = 10 * Instant.Duration.second
    /// How long a whole call may take, in milliseconds: every attempt, page and wait together.
    public var totalMilliseconds = 30 * Instant.Duration.second
    /// The wait before the second attempt, in milliseconds; it doubles with each further one.
    public var firstBackoffMilliseconds: Int64 = 500
    public var longestBackoffMilliseconds = 8 * Instant.Duration.second
    /// An answer longer than this is not read to its end, in bytes.
    public var maximumAnswerBytes = 4_194_304
    public var maximumPages = 500

    public init(_ change: (inout CallPolicy) -> Void = { _ in }) { change(&self) }

    /// For unattended work through many customers: five attempts of 30 s within 10 minutes.
    public static let patient = CallPolicy { policy in
        policy.attempts = 5
        policy.requestMilliseconds = 30 * Instant.Duration.second
        policy.totalMilliseconds = 10 * Instant.Duration.minute
    }

    func backoffCeiling(afterAttempts count: Int) -> Int64 {
        var ceiling = max(firstBackoffMilliseconds, 0)
        for _ in 1..<max(count, 1) where ceiling < longestBackoffMilliseconds { ceiling *= 2 }
        return min(ceiling, max(longestBackoffMilliseconds, 0))
    }
}
