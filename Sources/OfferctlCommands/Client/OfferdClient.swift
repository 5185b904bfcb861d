import AsyncHTTPClient
import CommandLineSupport
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import OfferAPI
import OfferDocuments
import OfferModel
import Synchronization

/// Calls one `offerd` with one API key. Every way of not getting an answer becomes a `CommandFailure` of its own.
struct OfferdClient: Sendable {
    static let largestAnswer = 64 * 1_024 * 1_024

    let address: ServerAddress
    /// Where the address is set, for hints: `--server` in backticks, OFFERCTL_SERVER, or both.
    let addressSetting: String
    /// The API key's token; sent, never shown.
    let token: String
    /// The limit of a whole exchange.
    var timeoutSeconds: Int
    /// Trusted instead of this machine's.
    var authorities: Authorities?
    /// The context whose token it is: a key of another app or environment is not used.
    var context: ContextConfiguration?
    /// The app and environment of the API key, from the first answer.
    let scope = AnnouncedScope()

    private struct Answer {
        var status: Int
        var headers: HTTPHeaders
        var body: [UInt8]

        var mediaType: String {
            (headers.first(name: "Content-Type") ?? "").prefix { $0 != ";" && $0 != " " }.lowercased()
        }
    }

    /// An answer that was read, and its text as it came.
    struct Reply<Body: Sendable>: Sendable {
        var body: Body
        var json: String
    }

    func call<Body: WireValue>(
        _ method: HTTPMethod, _ path: String, query: [(String, String)] = [], headers: [(String, String)] = [],
        body: [UInt8]? = nil, as type: Body.Type
    ) async throws -> Reply<Body> {
        let answer = try await send(
            method, path, query: query, headers: headers + [("Accept", "application/json")], body: body)
        guard answer.mediaType == "application/json",
            let body = try? WireJSON.decode(type, from: answer.body)
        else { throw notOurs(answer) }
        return Reply(body: body, json: String(decoding: answer.body, as: UTF8.self))
    }

    func post<Body: WireValue>(
        _ path: String, _ request: some WireValue, as type: Body.Type
    ) async throws -> Reply<Body> {
        try await call(
            .POST, path, headers: [("Content-Type", "application/json")], body: try WireJSON.encode(request), as: type)
    }

    func eachPage<Item: WireValue>(
        _ path: String, query: [(String, String)] = [], _ body: ([Item]) throws -> Void
    ) async throws {
        var cursor: String?
        repeat {
            let query = query + queryItems(("cursor", cursor))
            let page = try await call(.GET, path, query: query, as: PageBody<Item>.self).body
            try body(page.items)
            // A server that repeats itself must not keep us.
            cursor = page.next == cursor ? nil : page.next
        } while cursor != nil
    }

    func catalogInForce(as mediaType: String = CatalogFile.yaml) async throws -> CatalogInForce {
        let answer = try await send(.GET, "/v1/catalog", headers: [("Accept", mediaType)])
        guard let tag = answer.headers.first(name: "ETag") else { throw notOurs(answer) }
        return CatalogInForce(tag: tag, document: answer.body)
    }

    /// Sends one request and reads the whole answer. Everything but a success or a problem document is no answer of
    /// ours.
    private func send(
        _ method: HTTPMethod, _ path: String, query: [(String, String)] = [], headers: [(String, String)] = [],
        body: [UInt8]? = nil
    ) async throws -> Answer {
        // What only reads finds out with its own answer.
        if let context, method != .GET {
            if scope.value == nil { try await learnScope() }
            guard let announced = scope.value else { throw silentOnScope }
            try context.require(announced)
        }
        var request = HTTPClientRequest(url: address.url(path, query: query))
        request.method = method
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        request.headers.add(name: "User-Agent", value: "offerctl/\(ProgramVersion.number)")
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(body) }
        let answer = try await exchange(request)
        scope.note(answer.headers.first(name: "Offerd-Scope"))
        if let announced = scope.value { try context?.require(announced) }
        if (200..<300).contains(answer.status) { return answer }
        guard answer.mediaType == ProblemBody.mediaType,
            let problem = try? WireJSON.decode(ServerRefusal.Problem.self, from: answer.body), problem.isOurs
        else { throw notOurs(answer) }
        throw ServerRefusal(
            status: answer.status, problem: problem, retryAfter: answer.headers.first(name: "Retry-After"),
            json: String(decoding: answer.body, as: UTF8.self))
    }

    private func exchange(_ request: HTTPClientRequest) async throws(CommandFailure) -> Answer {
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let answer: Result<Answer, CommandFailure>
        do {
            let response = try await client.execute(request, timeout: .seconds(Int64(timeoutSeconds)))
            let body = try await response.body.collect(upTo: Self.largestAnswer)
            answer = .success(
                Answer(
                    status: Int(response.status.code), headers: response.headers, body: Array(body.readableBytesView)))
        } catch {
            answer = .failure(unavailable(error))
        }
        // The exchange is over either way; what closing the connection says adds nothing to it.
        try? await client.shutdown()
        return try answer.get()
    }

    /// Redirects are not followed: they would take the API key to an address the caller did not choose.
    private var configuration: HTTPClient.Configuration {
        var pool = HTTPClient.Configuration.ConnectionPool()
        pool.retryConnectionEstablishment = false
        var tls = TLSConfiguration.makeClientConfiguration()
        if let authorities { tls.trustRoots = .certificates(authorities.certificates) }
        return HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(Int64(min(timeoutSeconds, 10))), read: .seconds(Int64(timeoutSeconds))),
            connectionPool: pool)
    }

    /// Something answered, but not as an offerd that this version understands would.
    private func notOurs(_ answer: Answer) -> CommandFailure {
        let kind = answer.mediaType.isEmpty ? "" : " and `\(answer.mediaType)`"
        let hint =
            if let location = answer.headers.first(name: "Location"), (300..<400).contains(answer.status) {
                "it points to `\(location)`: use the final address"
            } else if answer.status >= 500 {
                "a proxy in front of the server may be answering instead; try again or ask the operator"
            } else {
                "check that \(addressSetting) leads to an offerd of this version or later"
            }
        return CommandFailure(
            .unavailable, "the answer of `\(address)` is not one that offerd gives: status \(answer.status)\(kind)",
            hints: [hint])
    }
}

/// The causes of a missing answer that have different remedies.
extension OfferdClient {
    private func unavailable(_ error: any Error) -> CommandFailure {
        switch error {
        case let error as HTTPClientError: clientFailure(error)
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            unavailable(
                "no host is known by the name in `\(address)`",
                "check the spelling in \(addressSetting), and the network")
        case let error as IOError where [ECONNRESET, EPIPE].contains(error.errnoCode): brokenOff
        case is NIOConnectionError, is IOError:
            unavailable(
                "nothing answers at `\(address)`: the connection was refused",
                "start it with `offerd serve`, or set another address in \(addressSetting)")
        case is ChannelError: timedOut
        case is NIOTooManyBytesError:
            unavailable(
                "the answer of `\(address)` is larger than 64 MiB", "check that \(addressSetting) leads to an offerd")
        // What is left comes from the layers between: TLS where there is TLS, else the reading of HTTP itself.
        default: address.isEncrypted ? tlsFailure(error) : notHTTP(String(describing: error))
        }
    }

    private func unavailable(_ message: String, _ hint: String) -> CommandFailure {
        CommandFailure(.unavailable, message, hints: [hint])
    }

    private func clientFailure(_ error: HTTPClientError) -> CommandFailure {
        switch error {
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout: timedOut
        case .tlsHandshakeTimeout: untrusted("the handshake took too long")
        case .remoteConnectionClosed: brokenOff
        default: notHTTP(error.shortDescription)
        }
    }

    /// A plain answer to a TLS greeting looks to the library like a record of a wrong version. The reason in its report
    /// is all that a person can use: the other parts are numbers and source files.
    private func tlsFailure(_ error: any Error) -> CommandFailure {
        let report = String(describing: error)
        let code = report.firstMatch(of: #/OPENSSL_internal:([A-Z0-9_]+)/#)?.output.1
        let reason = code?.lowercased().replacing("_", with: " ") ?? report
        guard ["wrong version number", "http request"].contains(reason) else { return untrusted(reason) }
        return unavailable(
            "`\(address)` does not speak TLS", "check the port, or write `http:` if that server has no TLS")
    }

    private var timedOut: CommandFailure {
        unavailable(
            "no answer from `\(address)` within \(timeoutSeconds) s",
            "try again, set a longer `--timeout`, or ask the operator whether it is overloaded")
    }

    private var brokenOff: CommandFailure {
        unavailable(
            "`\(address)` closed the connection before it had answered",
            "try again; `http` and `https` in the address may also be mixed up")
    }

    private func untrusted(_ detail: String) -> CommandFailure {
        unavailable(
            "no trusted TLS connection to `\(address)`: \(detail)",
            "its certificate must be valid now, for this host, and from an authority "
                + (authorities.map { "in `\($0.path)`" } ?? "that this machine trusts; `--ca-file` names others"))
    }

    private func notHTTP(_ detail: String) -> CommandFailure {
        unavailable(
            "`\(address)` does not speak HTTP: \(detail)",
            "check `http` or `https` and the port in \(addressSetting)")
    }
}

/// The app and environment that a command works in, printed to stderr with the first answer.
final class AnnouncedScope: Sendable {
    private let known = Mutex<Scope?>(nil)

    /// `nil` before the first answer, and where the server does not say it, as older ones do not.
    var value: Scope? { known.withLock { $0 } }

    /// - Parameter header: `Offerd-Scope` of an answer: `com.example.pro/Production`.
    func note(_ header: String?) {
        guard let header, let scope = Scope(header: header) else { return }
        let isNew = known.withLock { known in
            defer { known = scope }
            return known != scope
        }
        if isNew { Console.note(scope.text(Console.notePalette)) }
    }
}

extension Scope {
    fileprivate init?(header: String) {
        let parts = header.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let environment = AppStoreEnvironment(rawValue: String(parts[1])),
            ContextsReader.isBundleId(String(parts[0]))
        else { return nil }
        self.init(bundleId: BundleId(String(parts[0])), environment: environment)
    }

    /// `com.example.pro in Sandbox`; Production in capitals, and at a terminal in red.
    func text(_ palette: Palette) -> String {
        let app = bundleId.rawValue.printable
        return environment == .production
            ? "\(app) in " + palette.paint("PRODUCTION", .alarm) : "\(app) in \(environment.rawValue)"
    }
}

extension OfferdClient {
    var silentOnScope: CommandFailure {
        CommandFailure(
            .unavailable, "`\(address)` does not say which app and environment the key is for",
            hints: ["it may be older than this offerctl"])
    }

    /// Asks the server where the key belongs. Any answer to a valid key says so, a refusal too.
    ///
    /// - Throws: why there is no answer, or that the key is not accepted.
    func learnScope() async throws {
        do {
            _ = try await catalogInForce()
        } catch let refusal as ServerRefusal where refusal.problem.code == "forbidden" {}
    }

    /// Whether a change is asked about even if it is agreed to: at a terminal, unless it is known not to be in
    /// Production.
    var asks: Bool { Console.canAsk && scope.value.map { $0.environment == .production } ?? true }

    /// Asks before a change: at a terminal in Production always, elsewhere only where the change itself needs
    /// agreement.
    ///
    /// - Parameters:
    ///   - change: what is about to happen: `pause every offer`.
    ///   - isAgreed: whether the command line agrees to it, or it needs no agreement.
    /// - Throws: a failure if the user declines, or has not agreed and cannot be asked.
    func confirm(_ change: String, isAgreed: Bool = true) async throws {
        guard Console.canAsk else {
            if isAgreed { return }
            throw CommandFailure(
                .failed, "not done: \(change)", hints: ["if that is intended, add `--confirm`"])
        }
        if scope.value == nil { try? await learnScope() }
        if isAgreed && !asks { return }
        let place = scope.value.map { " (\($0.text(Console.notePalette)))" } ?? ""
        guard Console.ask("\(change.printable)\(place)?") else {
            throw CommandFailure(.failed, "not done: \(change)")
        }
    }
}
