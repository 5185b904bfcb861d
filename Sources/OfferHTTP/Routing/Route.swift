import HTTPTypes
import Hummingbird
import OfferModel

/// One call of the API: what the router, the `Allow` header and the test of `openapi.yaml` all go by.
struct Route: Sendable {
    /// The method; `GET` answers `HEAD` too.
    let method: HTTPRequest.Method
    /// The path as `openapi.yaml` writes it, such as `/v1/issued-offers/{id}`.
    let path: String
    /// Who may call; empty for everyone, with or without a key.
    let roles: [Role]
    /// Adds the route to a router.
    let add: @Sendable (Router<OfferContext>, Authentication) -> Void

    /// A call that needs a key.
    init<Access: CallerAccess>(
        _ method: HTTPRequest.Method, _ path: String, for access: Access.Type,
        use answer: @escaping @Sendable (Request, CallerContext<Access>) async throws -> Response
    ) {
        self.method = method
        self.path = path
        roles = access.roles
        add = { router, authentication in
            router.group().add(middleware: authentication).group(context: CallerContext<Access>.self)
                .on(RouterPath(path), method: method, use: answer)
        }
    }

    /// A call that everyone may make.
    init(
        open method: HTTPRequest.Method, _ path: String,
        use answer: @escaping @Sendable (Request, OfferContext) async throws -> Response
    ) {
        self.method = method
        self.path = path
        roles = []
        add = { router, _ in router.on(RouterPath(path), method: method, use: answer) }
    }

    /// Whether a path as asked is this route's, whatever the method.
    func matches(_ asked: String) -> Bool {
        let (own, others) = (path.split(separator: "/"), asked.split(separator: "/"))
        return own.count == others.count && zip(own, others).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
}
