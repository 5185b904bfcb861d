import ArgumentParser
import CommandLineSupport
import Foundation
import OfferDocuments
import OfferModel

struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Check an API key against its server, and save both as a context.",
        discussion: """
            The saved context is selected: later commands call its server with its key, unless --server or --token, \
            OFFERCTL_SERVER or OFFERCTL_TOKEN say otherwise. A login with the name of a context replaces it, and calls its \
            server unless another is given.

            Without --token-file and --token-command the token comes from OFFERCTL_TOKEN, or is asked for at a terminal, or \
            is read from standard input, and is kept in a file that only you can read. A token file is read each time it \
            is needed, and must have mode 0600. A token command is run each time: the program itself, without a shell, \
            with the words that follow --token-command, which must be the last option. It prints the token alone, has the \
            seconds of --timeout, and may ask at the terminal; without one its standard input is empty.

            Example:
              offerctl login --server https://offers.example.com
              offerctl login desk --server https://offers.example.com \\
                --token-command pass show offerd/desk
            """)

    @Argument(help: "What to call it. (default: the key's environment, such as production)")
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The server's address; or set OFFERCTL_SERVER. (default: the context's, or \(ServerOptions.defaultServer))",
            valueName: "url"))
    var server: String?

    @Option(help: ArgumentHelp("The file with the token; it stays there.", valueName: "file"), completion: .file())
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with the authorities to trust instead of this machine's; it is saved too.", valueName: "file"),
        completion: .file(extensions: ["pem", "crt"]))
    var caFile: String?

    @Option(help: ArgumentHelp("Seconds to wait for the server, or for the token command.", valueName: "seconds"))
    var timeout = 30

    @OptionGroup var output: OutputOptions

    @Option(
        parsing: .remaining,
        help: ArgumentHelp(
            "A program that prints the token, and its arguments: all words that follow.", valueName: "words"))
    var tokenCommand: [String] = []

    func validate() throws {
        try ServerOptions.validate(timeout: timeout)
        guard tokenFile == nil || tokenCommand.isEmpty else {
            throw ValidationError("use either `--token-file` or `--token-command`")
        }
        guard name?.contains("offerd_") != true else {
            throw ValidationError("what is given for the context is a token, not a name")
        }
        // The option takes all words that follow, so it has none only at the end.
        guard !tokenCommand.isEmpty || CommandLine.arguments.last != "--token-command" else {
            throw ValidationError("`--token-command` needs the words of a command")
        }
        if let name, !ContextsReader.isName(name) {
            throw ValidationError("`\(name.printable)` cannot name a context: use letters, digits, `.`, `_` and `-`")
        }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let file = try ContextsFile.required(environment)
        // The new key of a context must not go to whatever listens at the default address of this machine.
        let former = try name.flatMap(file.read().context)
        var server = Setting(option: server, "--server", variable: "OFFERCTL_SERVER", in: environment)
        if let former, server.value == nil { server = Setting(former.server, in: former) }
        let address = try ServerAccess.address(server)
        let isSame = former.map { ServerAddress($0.server) == address } ?? false
        let ownCA = caFile.map { URL(filePath: $0).path } ?? (isSame ? former?.caFile : nil)
        let authorities = try ServerAccess.authorities(ownCA, environment, for: address)
        let (source, token) = try token(environment)
        let secret = try ServerAccess.secret(
            token, hint: "set OFFERCTL_TOKEN, or use `--token-file` or `--token-command`")
        let client = OfferdClient(
            address: address, addressSetting: server.name, token: secret, timeoutSeconds: timeout,
            authorities: authorities)
        do {
            try await client.learnScope()
        } catch let refusal as ServerRefusal {
            if let data = try output.data(refusal.json) { Console.write(data) }
            throw refusal.commandFailure(files: SentFiles(), token: token)
        }
        guard let scope = client.scope.value else { throw client.silentOnScope }
        let context = try save(scope, at: address, source, secret, ownCA, in: file)
        let role = secret.split(separator: "_").dropFirst().first.flatMap { Role(rawValue: String($0)) }
        let holder = role.map { "\($0.rawValue) of " } ?? ""
        Console.write(
            try output.data(ContextView(context, isSelected: true).jsonText())
                ?? "\(context.label) is saved and selected: \(holder)\(context.text(output.palette))")
        for variable in ["OFFERCTL_SERVER", "OFFERCTL_TOKEN"] where !(environment[variable] ?? "").isEmpty {
            Console.note("hint: \(variable) in the environment wins over the context: unset it to use the context")
        }
    }

    private func save(
        _ scope: Scope, at address: ServerAddress, _ source: ContextToken?, _ secret: String, _ ownCA: String?,
        in file: ContextsFile
    ) throws -> ContextConfiguration {
        var kept: ContextToken?
        do {
            return try file.change { contexts in
                let name = try name ?? freeName(for: scope, at: address, among: contexts)
                let token = try source ?? .file(file.keep(token: secret, of: name))
                if source == nil { kept = token }
                let context = ContextConfiguration(
                    name: name, server: address.description, scope: scope, token: token, caFile: ownCA)
                contexts.select(context)
                return context
            }
        } catch {
            if case .file(let path) = kept { unlink(path) }
            throw error
        }
    }

    /// The token, and where it is from now on; `nil` for a file of our own.
    private func token(_ environment: [String: String]) throws -> (ContextToken?, Setting) {
        if let tokenFile {
            let source = ContextToken.file(URL(filePath: tokenFile).path)
            return (source, Setting(try source.read(within: timeout), named: "`--token-file`"))
        }
        if let program = tokenCommand.first {
            // As it is found now, wherever a later command is run.
            let found = program.contains("/") ? URL(filePath: program).path : program
            let source = ContextToken.command([found] + tokenCommand.dropFirst())
            return (source, Setting(try source.read(within: timeout), named: "`--token-command`"))
        }
        if let token = environment["OFFERCTL_TOKEN"], !token.isEmpty {
            return (nil, Setting(token, named: "OFFERCTL_TOKEN"))
        }
        let typed = isatty(STDIN_FILENO) == 1 ? Console.askSecret("token: ") : readLine() ?? ""
        return (nil, Setting(typed, named: "standard input"))
    }

    /// The name that a key gets without one: that of its environment, if no other context has it.
    private func freeName(
        for scope: Scope, at address: ServerAddress, among contexts: ContextsConfiguration
    ) throws(CommandFailure) -> String {
        let name = scope.environment.rawValue.lowercased()
        if let other = contexts.context(name), other.scope != scope || ServerAddress(other.server) != address {
            throw CommandFailure(
                .usage, "\(other.label) is \(other.text(.plain))",
                hints: ["give the new one a name of its own: `offerctl login NAME`"])
        }
        return name
    }
}

extension ContextsConfiguration {
    /// Replaces the context of that name, or adds it at the end, and selects it.
    fileprivate mutating func select(_ context: ContextConfiguration) {
        if let place = contexts.firstIndex(where: { $0.name == context.name }) {
            contexts[place] = context
        } else {
            contexts.append(context)
        }
        current = context.name
    }
}

extension Console {
    /// How the terminal was before the question; only one is asked.
    nonisolated(unsafe) private static var echoing = termios()

    /// Asks at a terminal for what it must not show.
    fileprivate static func askSecret(_ question: String) -> String {
        tcgetattr(STDIN_FILENO, &echoing)
        var silent = echoing
        silent.c_lflag &= ~tcflag_t(ECHO)
        let signals = [SIGINT, SIGTERM, SIGQUIT, SIGHUP]
        // Blocking them would not do: Ctrl-C has to end a question that waits, on whatever thread it arrives.
        let handlers = signals.map { number in
            signal(number) { number in
                tcsetattr(STDIN_FILENO, TCSANOW, &Console.echoing)
                signal(number, SIG_DFL)
                kill(getpid(), number)
            }
        }
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &echoing)
            for (number, handler) in zip(signals, handlers) { signal(number, handler) }
            draw("\n")
        }
        draw(question)
        return readLine() ?? ""
    }
}
