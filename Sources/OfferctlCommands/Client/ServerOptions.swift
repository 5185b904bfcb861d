import ArgumentParser
import CommandLineSupport
import Foundation
import NIOHTTP1
import OfferAPI
import OfferDocuments

struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server's address; or set OFFERCTL_SERVER. (default: the context's, or \(Self.defaultServer))",
            valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "The API key's token; or set OFFERCTL_TOKEN, which the list of processes does not show.",
            valueName: "token"))
    var token: String?

    @Option(
        help: ArgumentHelp("The context of `offerctl login` to use. (default: the selected one)", valueName: "name"))
    var context: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with the authorities to trust instead of this machine's; or set SSL_CERT_FILE.",
            valueName: "file"), completion: .file(extensions: ["pem", "crt"]))
    var caFile: String?

    @Option(
        help: ArgumentHelp("Seconds to wait for the server, or for a context's token command.", valueName: "seconds"))
    var timeout = 30

    /// Where `Scripts/run` and the default configuration listen.
    static let defaultServer = "http://127.0.0.1:8080"

    mutating func validate() throws {
        try Self.validate(timeout: timeout)
    }

    static func validate(timeout: Int) throws {
        guard (1...3_600).contains(timeout) else {
            throw ValidationError("`--timeout` must be between 1 and 3600 seconds, not `\(timeout)`")
        }
    }

    /// Runs a command's requests; a refusal by the server ends the command.
    ///
    /// - Parameters:
    ///   - files: the files that are sent, for the place of their errors.
    ///   - output: prints a refusal too, where the answer is for a program.
    func connect<Result>(
        files: SentFiles = SentFiles(), output: OutputOptions? = nil,
        _ requests: (OfferdClient) async throws -> Result
    ) async throws -> Result {
        let access = try ServerAccess(self, ProcessInfo.processInfo.environment)
        do {
            return try await requests(access.client)
        } catch let refusal as ServerRefusal {
            if let data = try output?.data(refusal.json) { Console.write(data) }
            throw refusal.commandFailure(files: files, token: access.token)
        }
    }
}

/// A value from an option or, without it, from the environment variable that replaces it, or from a context.
struct Setting {
    let value: String?
    /// Its name in messages: `--server` in backticks, or OFFERCTL_SERVER; both if neither is given.
    let name: String
    let isFromVariable: Bool
    private(set) var isFromContext = false

    init(option: String?, _ flag: String, variable: String, in environment: [String: String]) {
        // A variable that is set to nothing says nothing.
        let inherited = environment[variable].flatMap { $0.isEmpty ? nil : $0 }
        value = option ?? inherited
        isFromVariable = option == nil && inherited != nil
        name = option != nil ? "`\(flag)`" : isFromVariable ? variable : "`\(flag)` or \(variable)"
    }

    init(_ value: String, in context: ContextConfiguration) {
        (self.value, name, isFromVariable, isFromContext) = (value, context.label, false, true)
    }

    /// A token that was read for a login.
    init(_ value: String, named name: String) {
        (self.value, self.name, isFromVariable) = (value, name, false)
    }
}

struct AnswerOptions: ParsableArguments {
    @OptionGroup var output: OutputOptions
    @OptionGroup var server: ServerOptions

    func connect<Result>(
        files: SentFiles = SentFiles(), _ requests: (OfferdClient) async throws -> Result
    ) async throws -> Result {
        try await server.connect(files: files, output: output, requests)
    }

    @discardableResult
    func show<Body>(
        _ request: (OfferdClient) async throws -> OfferdClient.Reply<Body>, text: (Body) -> String
    ) async throws -> Body {
        let reply = try await connect(request)
        try show(reply, text: text(reply.body))
        return reply.body
    }

    func show<Body: WireValue>(
        _ path: String, by method: HTTPMethod = .GET, as type: Body.Type, text: (Body, Palette) -> String
    ) async throws {
        try await show {
            try await $0.call(method, path, as: type)
        } text: {
            text($0, output.palette)
        }
    }

    /// Prints an answer: for a program, every member that came.
    func show<Body>(_ reply: OfferdClient.Reply<Body>, text: @autoclosure () -> String) throws {
        Console.write(try output.data(reply.json) ?? output.palette.wrap(text()))
    }

    /// Prints what a change would do, before a question. It goes to stderr where the answer is for a program, so that
    /// stdout has one document.
    func showPreview(_ text: (Palette) -> String) {
        if output.isData {
            Console.note(text(Console.notePalette))
        } else {
            Console.write(output.palette.wrap(text(output.palette)))
        }
    }

    /// Prints a page of a list as a table, or that it is empty.
    func list<Item: WireValue>(
        _ path: String, _ query: [(String, String)], empty: String, table: ([Item]) -> TextTable
    ) async throws {
        let page = try await show { client in
            try await client.call(.GET, path, query: query, as: PageBody<Item>.self)
        } text: { page in
            let table = table(page.items)
            return table.isEmpty ? empty : table.lines(output.palette).joined(separator: "\n")
        }
        noteNext(page.next)
    }

    func noteNext(_ cursor: String?) {
        if let cursor, !output.isData { Console.note("hint: more results: add `--cursor \(cursor.printable)`") }
    }
}

struct PageOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The maximum number of entries.", valueName: "count"))
    var limit: Int?

    @Option(help: ArgumentHelp("The cursor from the previous page.", valueName: "cursor"))
    var cursor: String?

    mutating func validate() throws {
        guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("`--limit` must be at least 1") }
    }

    var query: [(String, String)] { queryItems(("limit", limit.map { String($0) }), ("cursor", cursor)) }
}

func queryItems(_ items: (String, String?)...) -> [(String, String)] {
    items.compactMap { name, value in value.map { (name, $0) } }
}

/// A server's scheme and host, perhaps with a port and a path before `/v1`.
struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    let description: String

    var isEncrypted: Bool { description.hasPrefix("https:") }

    /// Reads `http://127.0.0.1:8080` or `https://offers.example.com`; `nil` for anything that is not such an address.
    init?(_ text: String) {
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https",
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
            (parts.port.map { (1...65_535).contains($0) } ?? true)
        else { return nil }
        var address = text
        while address.hasSuffix("/") { address.removeLast() }
        description = scheme + address.dropFirst(scheme.count)
    }

    func url(_ path: String, query: [(String, String)] = []) -> String {
        let items = query.map { "\($0.percentEncoded)=\($1.percentEncoded)" }.joined(separator: "&")
        return description + path + (items.isEmpty ? "" : "?" + items)
    }
}

extension String {
    /// Every byte but RFC 3986's unreserved ones as `%XX`: servers disagree on what a bare `+` means.
    var percentEncoded: String {
        let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        return addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: unreserved)) ?? ""
    }
}
