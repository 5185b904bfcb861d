package import OfferModel

/// The content of `contexts.yaml` (docs/configuration.md#offerctl): the servers and keys that `offerctl` knows by name.
package struct ContextsConfiguration: Sendable, Hashable {
    /// The selected context, one of ``contexts``.
    package var current: String?
    /// Each name once.
    package var contexts: [ContextConfiguration]

    package init(current: String? = nil, contexts: [ContextConfiguration] = []) {
        self.current = current
        self.contexts = contexts
    }

    package func context(_ name: String) -> ContextConfiguration? { contexts.first { $0.name == name } }
}

package struct ContextConfiguration: Sendable, Hashable {
    package var name: String
    /// The server's address, as written.
    package var server: String
    /// The app and environment of the key, as the server said at the login.
    package var scope: Scope
    package var token: ContextToken
    /// A PEM file with the only authorities that are trusted; without it this machine's.
    package var caFile: String?

    package init(name: String, server: String, scope: Scope, token: ContextToken, caFile: String? = nil) {
        self.name = name
        self.server = server
        self.scope = scope
        self.token = token
        self.caFile = caFile
    }
}

/// Where a context's token is; never the token itself.
package enum ContextToken: Sendable, Hashable {
    /// The path of a file that only its owner can read.
    case file(String)
    /// A program and its arguments, which prints the token.
    case command([String])
}

package enum ContextsReader {
    private static let most = 100
    private static let mostWords = 64

    package static func isName(_ text: String) -> Bool { TextForm.name.accepts(text) }

    package static func isBundleId(_ text: String) -> Bool { TextForm.bundleId.accepts(text) }

    package static func read(_ bytes: [UInt8]) throws(InvalidDocument) -> ValidDocument<ContextsConfiguration> {
        try DocumentReading.read(bytes) { root in
            guard let mapping = root.mapping(["current", "contexts"]) else { return nil }
            var names: Set<String> = []
            let fields = mapping.required("contexts")?.list(of: "contexts", atMost: most, allowsEmpty: true)
            let contexts = fields?.compactMap { context($0, &names) } ?? []
            let currentField = mapping.optional("current")
            let current = currentField?.text(.name)
            if let current, !names.contains(current) {
                currentField?.refuse(
                    .unknownValue, "there is no context \(quoted(current))",
                    hint: Suggestion.hint(for: current, among: names.sorted(), noun: "known here"))
            }
            return ContextsConfiguration(current: current, contexts: contexts)
        }
    }

    private static func context(_ field: Field, _ names: inout Set<String>) -> ContextConfiguration? {
        let keys = ["name", "server", "app", "environment", "tokenFile", "tokenCommand", "caFile"]
        guard let mapping = field.mapping(keys) else { return nil }
        let nameField = mapping.required("name")
        let name = nameField?.text(.name)
        if let name, !names.insert(name).inserted {
            nameField?.refuse(.duplicateValue, "context \(quoted(name)) is given twice", hint: "keep one")
        }
        let server = mapping.required("server")?.text(.path)
        let app: BundleId? = mapping.required("app")?.id(.bundleId)
        let environment = mapping.required("environment")?.choice(AppStoreEnvironment.self)
        let caFile = mapping.optional("caFile")?.text(.path)
        let token = token(mapping)
        guard let name, let server, let app, let environment, let token else { return nil }
        return ContextConfiguration(
            name: name, server: server, scope: Scope(bundleId: app, environment: environment), token: token,
            caFile: caFile)
    }

    private static func token(_ mapping: Mapping) -> ContextToken? {
        let file = mapping.optional("tokenFile")
        let command = mapping.optional("tokenCommand")
        switch (file, command) {
        case (let file?, nil): return file.tokenPath().map(ContextToken.file)
        case (nil, let command?):
            let words = command.list(of: "words", atMost: mostWords)?.compactMap { $0.text(.word) }
            return words.map(ContextToken.command)
        case (nil, nil):
            return mapping.field.refuse(
                .missingKey, "missing key `tokenFile` or `tokenCommand`",
                hint: "name where the token is: `tokenFile: PATH`, or `tokenCommand: [PROGRAM, ARGUMENT]`")
        case (_?, _?):
            return mapping.field.refuse(
                .contradiction, "`tokenFile` and `tokenCommand` are both given", hint: "keep one")
        }
    }
}

extension TextForm {
    fileprivate static let word = TextForm(
        noun: "a word of a command", hint: "use 1 to 4096 bytes without line breaks or other control characters",
        accepts: path.accepts)
}

extension Field {
    /// The path of a file; a token pasted in its place is never quoted.
    fileprivate func tokenPath() -> String? {
        guard let text = scalar("a path") else { return nil }
        guard !text.hasPrefix("offerd_"), TextForm.path.accepts(text) else {
            return refuse(
                .invalidValue, "this is not a path",
                hint: "put the token into a file of its own, mode 600, and write its path here")
        }
        return text
    }
}

package enum ContextsWriter {
    package static func yaml(_ document: ContextsConfiguration) -> String {
        let current = document.current.map { [(key: "current", value: OutputNode.text($0))] } ?? []
        return YAMLText.of(.mapping(current + [("contexts", .list(document.contexts.map(node)))]))
    }

    private static func node(_ context: ContextConfiguration) -> OutputNode {
        let token: (key: String, value: OutputNode) =
            switch context.token {
            case .file(let path): ("tokenFile", .text(path))
            case .command(let words): ("tokenCommand", .texts(words))
            }
        return .mapping(
            [
                ("name", .text(context.name)), ("server", .text(context.server)),
                ("app", .text(context.scope.bundleId.rawValue)),
                ("environment", .text(context.scope.environment.rawValue)), token,
            ] + (context.caFile.map { [("caFile", .text($0))] } ?? []))
    }
}
