import HTTPTypes
package import Hummingbird
import Logging
import NIOCore
package import OfferApplication
package import OfferModel
import OfferSigning
import Synchronization

package struct OfferContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The request's id: in `X-Request-Id`, in every problem document and in the log.
    package let requestId: LowercaseUUID
    /// Where the request comes from, as far as it is known: the connection's other end, or what a trusted proxy says.
    package internal(set) var address: IPAddress?
    /// Whether what the client sends is encrypted on its way: to this server, or to a trusted proxy that says so.
    package internal(set) var isEncrypted = false
    /// Whether the connection's other end is a trusted proxy.
    package internal(set) var isFromTrustedProxy = false
    /// Who calls, once a key was seen.
    var caller: Caller?
    let notes = RequestNotes()

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        requestId = .random()
        address = source.channel.remoteAddress.flatMap { IPAddress($0) }
        coreContext.parameters = Parameters()
        logger[metadataKey: "hb.request.id"] = nil
        logger[metadataKey: "request.id"] = "\(requestId)"
    }

    /// Notes who calls, for the line in the log, where another cookie or header than the API's says so.
    package func note(_ caller: Caller) { notes.note { $0.caller = caller } }

    /// Who was noted.
    package var notedCaller: Caller? { notes.all.caller }
}

extension LowercaseUUID {
    /// An id for a request. It protects nothing, so the standard library's generator is enough.
    static func random() -> LowercaseUUID {
        // Two draws and not sixteen: each asks the system.
        withUnsafeBytes(of: (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))) {
            LowercaseUUID(version4From: Array($0))
        }
    }
}

/// The context of a request with a key.
///
/// Its only initialiser rejects every other one, so a method that takes this context cannot be reached without a key.
struct CallerContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let requestId: LowercaseUUID
    let caller: Caller
    let notes: RequestNotes

    /// - Throws: ``Problem`` `unauthenticated`.
    init(context: OfferContext) throws {
        guard var caller = context.caller else { throw Problem.unauthenticated(.none) }
        coreContext = context.coreContext
        requestId = context.requestId
        notes = context.notes
        caller.requestId = context.requestId
        self.caller = caller
    }

    /// - Throws: ``Problem`` `forbidden` unless the caller has one of these roles, or `admin` (docs/design.md#roles).
    func require(_ roles: [Role]) throws {
        guard caller.role == .admin || roles.contains(caller.role) else {
            throw Problem.forbidden(role: caller.role, needed: roles)
        }
    }
}

extension IPAddress {
    /// The address of a connection's other end; `nil` for a local socket.
    init?(_ address: SocketAddress) {
        // The address follows family and port (2 bytes each), in IPv6 also the flow label (4 bytes).
        let place: Range<Int>? =
            switch address {
            case .v4: 4..<8
            case .v6: 8..<24
            case .unixDomainSocket: nil
            }
        let found = address.withSockAddr { socket, size -> IPAddress? in
            guard let place, place.upperBound <= size else { return nil }
            return IPAddress(bytes: Array(UnsafeRawBufferPointer(start: socket, count: size)[place]))
        }
        guard let found else { return nil }
        self = found
    }
}

/// Threads for requests that may take long to read and to verify, so that they keep no others waiting.
package final class RequestThreads: Sendable {
    /// For all that comes without a key: a chain with Apple's root in it costs public-key work before it proves false.
    package let strangers = WorkThread(label: "offerd.strangers")
    /// Everyone can have an `app` key.
    package let apps: [WorkThread]
    /// A long body may have 200 JWS in it.
    package let long = WorkThread(label: "offerd.long")
    private let requests = Atomic(0)

    /// Half as many threads for requests with `app` keys as there are cores, and at least one.
    package init() {
        apps = (0..<max(1, System.coreCount / 2)).map { WorkThread(label: "offerd.apps.\($0)") }
    }

    /// The thread for one more request; `nil` for one that any thread may answer.
    func next(for role: Role, isLong: Bool) -> WorkThread? {
        guard role == .app else { return isLong ? long : nil }
        return apps[(requests.wrappingAdd(1, ordering: .relaxed).oldValue & .max) % apps.count]
    }
}

/// Authenticates the caller by the `Authorization` header, and the account of the app by `Customer-Token`.
struct Authentication: RouterMiddleware {
    let apiKeys: APIKeys
    let customerTokens: CustomerTokens
    let threads: RequestThreads
    /// The longest body, in bytes, of a request that needs no separate thread, and of one with an `app` key.
    let usualBytes: Int

    func handle(
        _ request: Request, context: OfferContext, next: @concurrent (Request, OfferContext) async throws -> Response
    ) async throws -> Response {
        let values = request.headers[values: .authorization]
        guard !values.isEmpty else { throw Problem.unauthenticated(.none) }
        // Anything but a bearer token is a failed attempt, as is an empty one.
        let given = Self.token(in: values)
        let token = given ?? ""
        let caller: Caller
        do {
            guard
                let found = try await apiKeys.caller(
                    forToken: token, from: context.address,
                    body: request.bodyLength(atMost: UnreadBodies.bound) ?? usualBytes)
            else {
                throw Problem.unauthenticated(given == nil ? .notABearer : .unknown)
            }
            caller = found
        } catch {
            // Nothing proves it, but it tells an operator which backend has an old key or asks too often.
            context.notes.note { $0.refusedKeyId = APIToken(token)?.id }
            throw error
        }
        context.notes.note { $0.caller = caller }
        let length = request.bodyLength(atMost: UnreadBodies.bound) ?? 0
        let thread = threads.next(for: caller.role, isLong: length > usualBytes)
        guard let thread else { return try await answer(request, of: caller, context, next) }
        return try await withTaskExecutorPreference(thread) { try await answer(request, of: caller, context, next) }
    }

    private func answer(
        _ request: Request, of caller: Caller, _ context: OfferContext,
        _ next: @concurrent (Request, OfferContext) async throws -> Response
    ) async throws -> Response {
        var (caller, context) = (caller, context)
        caller.account = try await account(request, of: caller)
        context.caller = caller
        return try await next(request, context)
    }

    /// The account of the app that the request's customer token proves; `nil` without one.
    private func account(_ request: Request, of caller: Caller) async throws -> CustomerId? {
        let tokens = request.headers[values: .customerToken]
        guard let token = tokens.first else { return nil }
        guard tokens.count == 1 else { throw CustomerTokenRefusal("it is given twice") }
        let account = try await customerTokens.account(token, of: caller)
        if let fault = RequestRules.fault(inText: account.rawValue, maximum: RequestRules.identifierLength) {
            throw CustomerTokenRefusal("its `sub` cannot be a `customerId`: \(fault.detail)")
        }
        return account
    }

    /// The bearer token; `nil` if the header is not that of one.
    private static func token(in values: [String]) -> String? {
        guard var value = values.first, values.count == 1 else { return nil }
        // By bytes: by characters it takes longer than to find the key.
        return value.withUTF8 { bytes in
            let words = bytes.split(separator: UInt8(ascii: " "))
            guard words.count == 2, String(decoding: words[0], as: UTF8.self).lowercased() == "bearer" else {
                return nil
            }
            return String(decoding: words[1], as: UTF8.self)
        }
    }
}
