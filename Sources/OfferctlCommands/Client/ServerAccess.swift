import CommandLineSupport
import Foundation
import NIOSSL
import OfferDocuments
import OfferModel

/// Which server is called with which key: each by its option, else its variable, else the context.
///
/// The server of a context that was only selected, not named, gets the token of the context alone.
struct ServerAccess {
    let client: OfferdClient
    /// Where the API key's token comes from.
    let token: Setting

    init(_ options: ServerOptions, _ environment: [String: String]) throws(CommandFailure) {
        var server = Setting(option: options.server, "--server", variable: "OFFERCTL_SERVER", in: environment)
        var token = Setting(option: options.token, "--token", variable: "OFFERCTL_TOKEN", in: environment)
        let isNamed = options.context != nil
        let context = token.value == nil || isNamed ? try Self.context(options.context, environment) : nil
        if let context, isNamed {
            for setting in [server, token] where setting.isFromVariable {
                Console.note("hint: \(setting.name) in the environment wins over \(context.label)")
            }
        }
        if let context, server.value == nil { server = Setting(context.server, in: context) }
        let address = try Self.address(server)
        let isOfContext = context.map { ServerAddress($0.server) == address } ?? false
        var contextOfToken: ContextConfiguration?
        if let context, token.value == nil {
            guard isOfContext else {
                throw CommandFailure(
                    .usage, "no API key is given for `\(address)`",
                    hints: [
                        "the token of \(context.label) is sent to `\(context.server)` only",
                        "set OFFERCTL_TOKEN or use `--token`",
                    ])
            }
            token = Setting(try context.token.read(within: options.timeout), in: context)
            try context.requireKind(of: token.value ?? "")
            contextOfToken = context
        }
        let authorities = try Self.authorities(
            options.caFile ?? (isOfContext ? context?.caFile : nil), environment, for: address)
        client = OfferdClient(
            address: address, addressSetting: server.name, token: try Self.secret(token),
            timeoutSeconds: options.timeout, authorities: authorities, context: contextOfToken)
        self.token = token
    }

    private static func context(
        _ name: String?, _ environment: [String: String]
    ) throws(CommandFailure) -> ContextConfiguration? {
        guard name != nil else { return try ContextsFile(environment)?.read().chosen(nil) }
        return try ContextsFile.required(environment).read().chosen(name)
    }

    static func address(_ setting: Setting) throws(CommandFailure) -> ServerAddress {
        let text = setting.value ?? ServerOptions.defaultServer
        guard let address = ServerAddress(text) else {
            throw CommandFailure(
                .usage, "`\(text)` in \(setting.name) is not the address of a server",
                hints: ["write it like `\(ServerOptions.defaultServer)` or `https://offers.example.com`"])
        }
        return address
    }

    static func secret(
        _ setting: Setting, hint: String = "set OFFERCTL_TOKEN or use `--token`; `offerctl login` saves one"
    ) throws(CommandFailure) -> String {
        // Tokens often come from a file, with a line break.
        let secret = (setting.value ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard !secret.isEmpty else {
            let isBlank = setting.value != nil
            throw CommandFailure(
                .usage, isBlank ? "\(setting.name) is blank, and no API key is given" : "no API key is given",
                hints: [hint, "the operator makes one with `offerd api-keys create`"])
        }
        guard secret.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw CommandFailure(
                .usage, "\(setting.name) has characters that no API key's token has",
                hints: ["a token looks like `offerd_<role>_<live|test>_<id>_<secret>`"])
        }
        return secret
    }

    /// The authorities that are trusted instead of this machine's; `nil` for those.
    ///
    /// - Parameter file: the option's or the context's; without it SSL_CERT_FILE counts, as for curl and OpenSSL.
    static func authorities(
        _ file: String?, _ environment: [String: String], for address: ServerAddress
    ) throws(CommandFailure) -> Authorities? {
        let inherited = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        guard address.isEncrypted, let path = file ?? inherited else { return nil }
        let bytes = try InputFile.bytes(path, "CA file")
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(bytes), !certificates.isEmpty else {
            let source = file == nil ? " in SSL_CERT_FILE" : ""
            throw CommandFailure(
                .usage, "CA file `\(path)`\(source) has no certificate in PEM form",
                hints: ["name the file of the authority's certificate, which begins with `-----BEGIN CERTIFICATE-----`"]
            )
        }
        return Authorities(certificates: certificates, path: path)
    }
}

struct Authorities: Sendable {
    let certificates: [NIOSSLCertificate]
    let path: String
}

extension ContextConfiguration {
    /// Refuses another key than that of the login before it is used: a token file may have been replaced.
    fileprivate func requireKind(of token: String) throws(CommandFailure) {
        let parts = token.split(separator: "_")
        let isForProduction = scope.environment == .production
        guard parts.count > 3, parts[0] == "offerd", ["live", "test"].contains(parts[2]),
            (parts[2] == "live") != isForProduction
        else { return }
        throw CommandFailure(
            .usage, "the token of \(label) is \(isForProduction ? "not " : "")for Production",
            hints: [
                "the context is for \(scope.environment.rawValue); `offerctl login \(name)` checks a key and saves it"
            ])
    }

    /// Refuses a key of another app or environment than that of the login, as the server says of it.
    func require(_ announced: Scope) throws(CommandFailure) {
        guard announced != scope else { return }
        throw CommandFailure(
            .usage, "the token of \(label) is for \(announced.text(.plain)), not for \(scope.text(.plain))",
            hints: ["`offerctl login \(name)` checks a key and saves it"])
    }
}
