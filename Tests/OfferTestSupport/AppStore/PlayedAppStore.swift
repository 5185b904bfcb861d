import Foundation
import Synchronization

/// Answers like Apple's App Store Server API about some accounts: pages of 20 with revisions, statuses, app
/// transactions, orders and the notification history, each as Apple documents it.
public final class PlayedAppStore: Sendable {
    /// What happens in place of an answer: by the request and how many came before it; `nil` for Apple's own.
    public typealias Fault = @Sendable (AppleServer.Request, Int) -> AppleServer.Reply?

    private struct State: Sendable {
        var accounts: [PlayedAccount] = []
        var notifications: [String] = []
        var arrived: Set<String> = []
        var fault: Fault?
    }

    /// As many as Apple gives on a page.
    public static let pageLength = 20
    private let state = Mutex(State())

    /// An App Store without customers.
    public init() {}

    /// The accounts.
    public var accounts: [PlayedAccount] {
        get { state.withLock { $0.accounts } }
        set { state.withLock { $0.accounts = newValue } }
    }

    /// Every notification that was sent or was tried to send, by its date.
    public var notifications: [String] {
        get { state.withLock { $0.notifications } }
        set { state.withLock { $0.notifications = newValue } }
    }

    /// Of these, those that were answered 200: a query for failures leaves them out.
    public var arrived: Set<String> {
        get { state.withLock { $0.arrived } }
        set { state.withLock { $0.arrived = newValue } }
    }

    /// What happens in place of an answer.
    public func interpose(_ fault: Fault?) {
        state.withLock { $0.fault = fault }
    }

    /// Runs the body beside a server that answers so.
    public func serve<Result>(_ body: (AppleServer) async throws -> Result) async throws -> Result {
        try await AppleServer.run(
            { [self] request, place in
                state.withLock { $0.fault }?(request, place) ?? reply(to: request)
            }, body)
    }

    private func reply(to request: AppleServer.Request) -> AppleServer.Reply {
        guard let url = URLComponents(string: request.uri) else { return .error(4_000_000) }
        let path = url.path.split(separator: "/").map(String.init)
        let query = Dictionary((url.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
        let id = path.last ?? ""
        switch path.dropLast().joined(separator: "/") {
        case "inApps/v2/history":
            return answer(id) { Self.page(of: $0.transactions, after: query["revision"]) }
        case "inApps/v1/subscriptions":
            return answer(id) { Self.json(["data": $0.statuses]) }
        case "inApps/v1/transactions/appTransactions":
            return answer(id) { account in
                account.appTransaction.map { Self.json(["signedAppTransactionInfo": $0]) } ?? .error(4_040_019)
            }
        case "inApps/v1/lookup":
            let bought = accounts.compactMap { $0.orders[id] }.first
            return Self.json(bought.map { ["status": 0, "signedTransactions": $0] } ?? ["status": 1])
        case "inApps/v1/notifications" where id == "history":
            return history(request.body, after: query["paginationToken"])
        default:
            return .error(4_000_000)
        }
    }

    private func answer(_ id: String, _ say: (PlayedAccount) -> AppleServer.Reply) -> AppleServer.Reply {
        guard id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) || accounts.contains(where: { $0.isKnown(by: id) })
        else { return .error(4_000_006, "Invalid transaction id.") }
        return accounts.first { $0.isKnown(by: id) }.map(say) ?? .error(4_040_010, "Transaction id not found.")
    }

    private static func page(of transactions: [String], after revision: String?) -> AppleServer.Reply {
        guard let start = revision.map({ Int($0.dropFirst()) }) ?? 0, start <= transactions.count else {
            return .error(4_000_005)
        }
        let end = min(start + pageLength, transactions.count)
        return json([
            "signedTransactions": Array(transactions[start..<end]), "revision": "r\(end)",
            "hasMore": end < transactions.count,
        ])
    }

    private func history(_ body: String, after token: String?) -> AppleServer.Reply {
        let asked = (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any] ?? [:]
        guard let from = asked["startDate"] as? Int, let to = asked["endDate"] as? Int else { return .error(4_000_015) }
        guard from < to else { return .error(4_000_013) }
        let arrived = asked["onlyFailures"] as? Bool == true ? self.arrived : []
        let found = notifications.filter { jws in
            !arrived.contains(jws)
                && (PlayedAccount.payload(jws)["signedDate"] as? Int).map { (from...to).contains($0) } ?? false
        }
        guard let start = token.map({ Int($0.dropFirst()) }) ?? 0, start <= found.count else {
            return .error(4_000_014)
        }
        let end = min(start + Self.pageLength, found.count)
        let items = found[start..<end].map { ["signedPayload": $0, "sendAttempts": []] as [String: Any] }
        var page: [String: Any] = ["notificationHistory": items, "hasMore": end < found.count]
        if end < found.count { page["paginationToken"] = "p\(end)" }
        return Self.json(page)
    }

    private static func json(_ object: [String: Any]) -> AppleServer.Reply {
        guard let data = try? JSONSerialization.data(withJSONObject: object) else { return .error(5_000_000) }
        return .answer(200, String(decoding: data, as: UTF8.self))
    }
}
