import OfferModel

/// `console` of `offerd.yaml`: where the pages for people are served (docs/console.md).
package enum ConsoleSetting: Sendable, Hashable {
    /// With the API, where only this machine can reach that.
    case automatic
    /// With the API, wherever that is.
    case on
    case off
    /// At an address of its own.
    case listen(ListenAddress)

    package static let hint =
        "the console needs an address of its own, such as `127.0.0.1:8090`; `console: on` serves it with the API"

    /// Its own address; `nil` without one.
    package var address: ListenAddress? {
        if case .listen(let address) = self { address } else { nil }
    }

    /// Whether it is part of the server of the API.
    ///
    /// - Parameter isLoopback: whether only this machine can reach that.
    package func isWithAPI(isLoopback: Bool) -> Bool {
        switch self {
        case .automatic: isLoopback
        case .on: true
        case .off, .listen: false
        }
    }

    /// Why its own address cannot be listened on; `nil` if it can.
    package func conflict(with others: [(name: String, address: ListenAddress?)]) -> String? {
        guard let address,
            let other = others.first(where: { $0.address.map(address.isTaken) == true })
        else { return nil }
        return "`\(address)` is the address of `\(other.name)` too"
    }
}

extension Field {
    private static let mostUsers = 200

    /// Where the console is, and the people that a proxy signs in.
    func console() -> (place: ConsoleSetting, users: ProxyUsers?) {
        if isOff { return (.off, nil) }
        if case .scalar(let text, _) = node.content {
            if text == "on" { return (.on, nil) }
            refuse(
                .invalidValue, "\(quoted(text)) is not where the console can be",
                hint: "write `on`, `off` or `{ listen: 127.0.0.1:8090 }`")
            return (.automatic, nil)
        }
        guard let mapping = mapping(["listen", "proxyUsers"]) else { return (.automatic, nil) }
        let users = mapping.optional("proxyUsers")?.proxyUsers()
        let listen = mapping.has("proxyUsers") ? mapping.optional("listen") : mapping.required("listen")
        return (listen?.listenAddress().map { .listen($0) } ?? .automatic, users)
    }

    private func proxyUsers() -> ProxyUsers? {
        guard let mapping = mapping(["header", "keys"]) else { return nil }
        let header = mapping.required("header")?.text(.headerName)
        let keys = mapping.required("keys")?.keysOfUsers()
        guard let header, let keys else { return nil }
        return ProxyUsers(header: header, keys: keys)
    }

    private func keysOfUsers() -> [String: String]? {
        guard case .mapping(let entries) = node.content else {
            return refuse(
                .wrongType, "this must be a mapping, not \(node.kind)", hint: "write `{ anna: 0123456789abcdef }`")
        }
        guard (1...Self.mostUsers).contains(entries.count) else {
            return refuse(.outOfRange, "these are \(entries.count) people; 1 to \(Self.mostUsers) are accepted")
        }
        guard let mapping = mapping(entries.map(\.key)) else { return nil }
        var keys: [String: String] = [:]
        for name in entries.map(\.key) {
            guard TextForm.userName.accepts(name) else {
                mapping.key(name)?.refuse(
                    .invalidValue, "\(quoted(name)) is not \(TextForm.userName.noun)", hint: TextForm.userName.hint)
                continue
            }
            // Not `text`: an id may have the look of a number.
            guard let field = mapping.optional(name), let id = field.scalar("the id of an API key") else { continue }
            if TextForm.apiKeyId.accepts(id) {
                keys[name] = id
            } else {
                field.refuse(
                    .invalidValue, "\(quoted(id)) is not \(TextForm.apiKeyId.noun)", hint: TextForm.apiKeyId.hint)
            }
        }
        return keys
    }
}

extension TextForm {
    fileprivate static let headerName = TextForm(
        noun: "the name of a header", hint: "use 1 to 64 letters, digits and `-`, as in `X-Forwarded-User`"
    ) { $0.isMade(of: "-", upTo: 64) }

    fileprivate static let userName = TextForm(
        noun: "the name of a person", hint: "use 1 to 64 visible ASCII characters without spaces, as the proxy does"
    ) { text in
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    fileprivate static let apiKeyId = TextForm(
        noun: "the id of an API key", hint: "write its 16 hexadecimal digits; `offerd api-keys list` shows them"
    ) { text in
        text.utf8.count == 16 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
