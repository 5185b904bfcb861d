import ArgumentParser
import CommandLineSupport
import OfferApplication
import OfferDocuments
import OfferModel
import OfferStore
import OpenSSLCrypto

struct DevelopmentConsoleLink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console-link",
        abstract: "Print a link that signs in to the console of a server on this machine, once.",
        discussion: """
            The link signs in as an API key of LocalTesting. It works for ten minutes, from this machine only, and once. \
            May run beside the server.

            Example:
              offerd dev console-link 0123456789abcdef --config .local/offerd.yaml
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "The address that the server listens on, instead of the configuration's.")
    var listen: String?

    @Argument(
        help:
            "The key's id, in its token before the secret; the whole token also works. Its role is support, marketing or admin."
    )
    var key: String

    func run() async throws {
        let setup = try options.setup(listen: listen)
        let address = try Self.address(setup)
        let database = try setup.database.open()
        defer { try? database.close() }
        let useCases = UseCases(
            registry: AppRegistry([]), database: database, digest: OpenSSLDigest(), random: OpenSSLRandom(),
            clock: { .wallClock })
        let code = try await useCases.consoleSessions.link(for: try await caller(useCases))
        let scheme = setup.configuration.tls == nil ? "http" : "https"
        try Console.output("\(scheme)://\(address)/console/sign-in?link=\(code)")
    }

    /// Where the console is, which other machines cannot reach.
    private static func address(_ setup: ServerSetup) throws -> ListenAddress {
        let console = setup.configuration.console
        let address = console.address ?? setup.listen
        guard console.address != nil || console.isWithAPI(isLoopback: address.isLoopback), address.isLoopback else {
            throw CommandFailure(
                .usage, "there is no console that only this machine can reach: the server listens on `\(address)`",
                hints: ["listen on 127.0.0.1 and leave `console` out of offerd.yaml, or sign in with an API key"])
        }
        guard address.port != 0 else {
            throw CommandFailure(
                .usage, "`\(address)` names no port",
                hints: ["`--listen` takes the address that `serve` prints, such as 127.0.0.1:8080"])
        }
        return address
    }

    private func caller(_ useCases: UseCases) async throws -> Caller {
        let id = APIToken(key)?.id ?? key
        guard let found = try await useCases.apiKeys.list().first(where: { $0.id == id }),
            found.state != .expired, found.state != .revoked
        else {
            throw CommandFailure.noActiveKey(id)
        }
        guard found.scope.environment == .localTesting, found.role.isStaff else {
            throw CommandFailure(
                .usage, "`\(id)` has the role `\(found.role.rawValue)` in `\(found.scope.environment.rawValue)`",
                hints: ["a link signs in as a key of LocalTesting with the role `support`, `marketing` or `admin`"])
        }
        return Caller(apiKeyId: id, scope: found.scope, role: found.role)
    }
}
