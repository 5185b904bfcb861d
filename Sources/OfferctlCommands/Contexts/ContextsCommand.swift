import ArgumentParser
import CommandLineSupport
import Foundation
import OfferDocuments
import OfferModel

struct ContextsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contexts",
        abstract: "List, select and remove what `offerctl login` has saved.",
        discussion: """
            A context is a server, the app and environment of an API key, and where its token is. They are in \
            $XDG_CONFIG_HOME/offerd/contexts.yaml, or ~/.config/offerd/contexts.yaml. Without a subcommand it is \
            `offerctl contexts list`.

            Example:
              offerctl contexts
              offerctl contexts use production
            """,
        subcommands: [ContextsList.self, ContextsUse.self, ContextsRemove.self], defaultSubcommand: ContextsList.self)
}

struct ContextsList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the contexts, and which is selected.",
        discussion: """
            Calls no server and reads no token.

            Example:
              offerctl contexts list
            """)

    @OptionGroup var output: OutputOptions

    func run() throws {
        let contexts = try ContextsFile.required(ProcessInfo.processInfo.environment).read()
        let items = contexts.contexts.map { ContextView($0, isSelected: $0.name == contexts.current) }
        if let data = try output.data(["items": items].jsonText()) { return Console.write(data) }
        guard !contexts.contexts.isEmpty else {
            Console.write("there are no contexts: `offerctl login` makes one")
            return
        }
        let table = TextTable(
            ["NAME", "SELECTED", "APP", "ENVIRONMENT", "SERVER", "TOKEN"],
            rows: contexts.contexts.map { context in
                let place = context.scope.environment
                return [
                    context.name, context.name == contexts.current ? "yes" : "no", context.scope.bundleId.rawValue,
                    place == .production ? place.rawValue.uppercased() : place.rawValue, context.server.printable,
                    context.token.text.printable,
                ]
            })
        table.lines(output.palette).forEach(Console.write)
    }
}

struct ContextsUse: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use",
        abstract: "Select the context of later commands.",
        discussion: """
            Example:
              offerctl contexts use production
            """)

    @Argument(help: "The context.")
    var name: String

    @OptionGroup var output: OutputOptions

    func run() throws {
        let file = try ContextsFile.required(ProcessInfo.processInfo.environment)
        let context = try file.change { contexts in
            contexts.current = name
            return try contexts.named(name)
        }
        Console.write(
            try output.data(ContextView(context, isSelected: true).jsonText())
                ?? "\(context.label) is selected: \(context.text(output.palette))")
    }
}

struct ContextsRemove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a context, and its token if `offerctl login` keeps it.",
        discussion: """
            A file of your own that has the token stays. The API key stays valid: `offerd api-keys revoke` ends it.

            Example:
              offerctl contexts remove production
            """)

    @Argument(help: "The context.")
    var name: String

    @OptionGroup var output: OutputOptions

    func run() throws {
        let file = try ContextsFile.required(ProcessInfo.processInfo.environment)
        let context = try file.change { contexts in
            let context = try contexts.named(name)
            contexts.contexts.removeAll { $0.name == name }
            if contexts.current == name { contexts.current = nil }
            return context
        }
        Console.write(
            try output.data(ContextView(context, isSelected: false).jsonText())
                ?? "\(context.label) is removed; its API key stays valid until it is revoked")
    }
}

/// A context as it is printed for a program: with where its token is, never with the token.
struct ContextView: Encodable {
    private let name: String
    private let selected: Bool
    private let server: String
    private let app: String
    private let environment: String
    private let tokenFile: String?
    private let tokenCommand: [String]?
    private let caFile: String?

    init(_ context: ContextConfiguration, isSelected: Bool) {
        (name, selected, server, caFile) = (context.name, isSelected, context.server, context.caFile)
        (app, environment) = (context.scope.bundleId.rawValue, context.scope.environment.rawValue)
        switch context.token {
        case .file(let path): (tokenFile, tokenCommand) = (path, nil)
        case .command(let words): (tokenFile, tokenCommand) = (nil, words)
        }
    }
}

extension ContextToken {
    /// Where the token is.
    fileprivate var text: String {
        switch self {
        case .file(let path): path
        case .command(let words): "from " + words.joined(separator: " ")
        }
    }
}
