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
    func console() -> ConsoleSetting {
        if isOff { return .off }
        if case .scalar(let text, _) = node.content {
            if text == "on" { return .on }
            return refuse(
                .invalidValue, "\(quoted(text)) is not where the console can be",
                hint: "write `on`, `off` or `{ listen: 127.0.0.1:8090 }`") ?? .automatic
        }
        guard let address = mapping(["listen"])?.required("listen")?.listenAddress() else { return .automatic }
        return .listen(address)
    }
}
