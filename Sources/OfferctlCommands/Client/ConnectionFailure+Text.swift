extension ConnectionFailure {
    /// The failure in words, with its remedy.
    func commandFailure(address: ServerAddress, timeoutSeconds: Int) -> CommandFailure {
        CommandFailure(.unavailable, text(address, timeoutSeconds), hints: [hint])
    }

    private func text(_ address: ServerAddress, _ timeoutSeconds: Int) -> String {
        switch self {
        case .unknownHost: "no host is known by the name in `\(address)`"
        case .refused: "nothing answers at `\(address)`: the connection was refused"
        case .timedOut: "no answer from `\(address)` within \(timeoutSeconds) s"
        case .untrusted(let detail): "no trusted TLS connection to `\(address)`: \(detail)"
        case .noTLS: "what answers at `\(address)` does not speak TLS"
        case .brokenOff: "`\(address)` closed the connection before it had answered"
        case .tooLarge: "the answer of `\(address)` is larger than 64 MiB"
        case .notHTTP(let detail): "what answers at `\(address)` does not speak HTTP: \(detail)"
        }
    }

    private var hint: String {
        switch self {
        case .unknownHost: "check the spelling in `--server` or OFFERCTL_SERVER, and the network"
        case .refused: "start it with `offerd serve`, or name another with `--server` or OFFERCTL_SERVER"
        case .timedOut: "try again, give it longer with `--timeout`, or ask the operator whether it is overloaded"
        case .untrusted: "its certificate must be in force, for this host, and from an authority this machine trusts"
        case .noTLS: "check the port, or write `http:` if that server is meant to be asked without TLS"
        case .brokenOff: "try again; `http` and `https` in the address may also be mixed up"
        case .tooLarge: "check that `--server` leads to an offerd"
        case .notHTTP: "check `http` or `https` and the port in `--server` or OFFERCTL_SERVER"
        }
    }
}
