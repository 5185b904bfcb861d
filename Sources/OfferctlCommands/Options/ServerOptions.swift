import ArgumentParser

/// Which server to ask, with which key.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server's address; OFFERCTL_SERVER says the same. (default: \(Self.defaultServer))",
            valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "The API key's token; OFFERCTL_TOKEN says the same and does not show in the list of processes.",
            valueName: "token"))
    var token: String?

    @Option(help: ArgumentHelp("Seconds to wait for the server.", valueName: "seconds"))
    var timeout = 30

    /// Where `Scripts/run` and the default configuration listen.
    static let defaultServer = "http://127.0.0.1:8080"

    mutating func validate() throws {
        guard (1...3_600).contains(timeout) else {
            throw ValidationError("`--timeout` must be between 1 and 3600 seconds, not `\(timeout)`")
        }
    }

    /// A client for that server.
    ///
    /// - Throws: `CommandFailure` if the address or the token cannot be used; the token is never shown.
    func client(_ environment: [String: String]) throws(CommandFailure) -> OfferdClient {
        let text = server ?? environment["OFFERCTL_SERVER"].flatMap { $0.isEmpty ? nil : $0 } ?? Self.defaultServer
        guard let address = ServerAddress(text) else {
            throw CommandFailure(
                .usage, "`\(text)` is not the address of a server",
                hints: ["write it like `\(Self.defaultServer)` or `https://offers.example.com`"])
        }
        return OfferdClient(address: address, token: try usableToken(environment), timeoutSeconds: timeout)
    }

    private func usableToken(_ environment: [String: String]) throws(CommandFailure) -> String {
        let text = (token ?? environment["OFFERCTL_TOKEN"] ?? "").trimmed
        guard !text.isEmpty else {
            throw CommandFailure(
                .usage, "no API key is given",
                hints: [
                    "set OFFERCTL_TOKEN or use `--token`", "the operator makes one with `offerd api-keys create`",
                ])
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw CommandFailure(
                .usage, "the API key's token has characters that no token has",
                hints: ["a token looks like `offerd_<id>_<secret>`"])
        }
        return text
    }
}

extension String {
    /// Without blanks and line breaks around it: tokens often come from a file.
    fileprivate var trimmed: String {
        var text = Substring(self)
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
