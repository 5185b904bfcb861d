import OfferModel
import OfferTestSupport
import Testing

@testable import OfferDocuments

@Suite("contexts.yaml of offerctl")
struct ContextsDocumentTests {
    private func read(_ text: String) throws -> ContextsConfiguration {
        try ContextsReader.read(Array(text.utf8)).value
    }

    @Test("what is written is read back, whatever it holds")
    func roundTrip() throws {
        let scopes = AppStoreEnvironment.allCases.map { Scope(bundleId: "com.example.pro", environment: $0) }
        let texts = [
            "https://offers.example.com", "on", "1e5", "a: b", "it's", "\"", "ä 日本", "{x}", "# no", "$HOME", "-",
        ]
        let contexts = texts.enumerated().map { index, text in
            ContextConfiguration(
                name: "c\(index)", server: text, scope: scopes[index % scopes.count],
                token: index % 2 == 0 ? .file("/\(text)") : .command([text, "--", text]),
                caFile: index % 3 == 0 ? "/ca/\(text)" : nil)
        }
        for document in [
            ContextsConfiguration(), ContextsConfiguration(contexts: contexts),
            ContextsConfiguration(current: "c3", contexts: contexts),
        ] {
            let text = ContextsWriter.yaml(document)
            #expect(try read(text) == document, "\(text)")
        }
    }

    @Test(
        "a mistake is named",
        arguments: [
            ("", "the document is empty"),
            ("contexts: []\ncurrent: a\n", "there is no context `a`"),
            ("contexts: {}\n", "this must be a list, not a mapping"),
            ("context: []\n", "unknown key `context`"),
            (entry("name: ../a"), "`../a` is not a name"),
            (entry("name: 7"), "this must be text, not a number"),
            (entry("tokenCommand: [x]"), "`tokenFile` and `tokenCommand` are both given"),
            (entry("tokenFile: offerd_admin_live_0123"), "this is not a path"),
            (entry("environment: production"), "unknown value `production`"),
            (entry("app: my app"), "`my app` is not a bundle identifier"),
            (entry("server: \"\""), "`` is not a path"),
            (
                "contexts:\n"
                    + String(
                        repeating: "  - { name: a, server: s, app: a.b, environment: Xcode, tokenFile: t }\n", count: 2),
                "context `a` is given twice"
            ),
            (
                "contexts: [{ name: a, server: s, app: a.b, environment: Xcode }]\n",
                "missing key `tokenFile` or `tokenCommand`"
            ),
            (
                "contexts: [{ name: a, server: s, app: a.b, environment: Xcode, tokenCommand: [] }]\n",
                "this list must not be empty"
            ),
            (
                "contexts: [{ name: a, server: s, app: a.b, environment: Xcode, tokenCommand: [p, \"\", \"a\\nb\"] }]\n",
                "`a\\u{a}b` is not a word of a command"
            ),
        ])
    func mistakes(_ text: String, _ detail: String) throws {
        let refusal = #expect(throws: InvalidDocument.self) { _ = try read(text) }
        let details = refusal?.errors.map(\.detail) ?? []
        #expect(details.contains(detail), "\(details)")
        #expect(!details.contains { $0.contains("offerd_admin") })
    }

    /// A whole context with one member instead of its own.
    private static func entry(_ member: String) -> String {
        let own = [
            "name: a", "server: https", "app: com.example.pro", "environment: Sandbox", "tokenFile: /t",
        ]
        let key = member.prefix { $0 != ":" }
        let members = own.filter { $0.prefix { $0 != ":" } != key } + [member]
        return "contexts: [{ \(members.joined(separator: ", ")) }]\n"
    }
}
