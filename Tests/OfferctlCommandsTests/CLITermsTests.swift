import Testing

@testable import OfferctlCommands

@Suite("the server's words as they are typed")
struct CLITermsTests {
    @Test(
        "what a hint has in backticks becomes the option or command; other words stay",
        arguments: [
            ("set `productId` to one of `a`, `b`", "set `--product` to one of `a`, `b`"),
            ("send `signals.interactions` as a number", "send `--signal interactions=…` as a number"),
            ("`GET /v1/catalog/revisions` lists them", "`offerctl catalog revisions` lists them"),
            (
                "name the customer by their `originalTransactionId` or `appTransactionId`",
                "name the customer by their `--original-transaction-id` or `--app-transaction-id`"
            ),
            ("productId and history are bare", "productId and history are bare"),
            ("an odd ` productId`` quote", "an odd ` productId`` quote"),
            ("", ""),
        ])
    func hint(_ said: String, _ typed: String) {
        #expect(CLITerms.hint(said) == typed)
    }

    @Test(
        "a place in the request becomes the option, or the place in the file that was sent",
        arguments: [
            ("/productId", " in `--product`"), ("/customer/appAccountToken", " in `--app-account-token`"),
            ("/signals/plan", " in `--signal plan=…`"), ("/asOf", " in `--as-of`"), ("/offerIds/0", " in `--offer`"),
            ("/history/transactions/0/price", " at /transactions/0/price (lapsed.json)"),
            ("/history", " at its root (lapsed.json)"), ("/request/locale", " in `--locale`"),
            ("/device/x", " at /device/x"), ("", ""),
        ])
    func place(_ pointer: String, _ typed: String) {
        #expect(CLITerms.place(pointer: pointer, SentFiles(history: "lapsed.json")) == typed)
    }

    @Test("a parameter of the query becomes the option; another place stays")
    func parameter() {
        #expect(CLITerms.place(path: "query.limit") == " in `--limit`")
        #expect(CLITerms.place(path: "query.colour") == " at query.colour")
        #expect(CLITerms.place(path: "header.If-Match") == " at header.If-Match")
    }

    @Test("every option the words are translated to is one that some command takes")
    func exist() throws {
        let helps = try HelpTests.commands.map { try Fixture.text("help/\(HelpTests.file($0))") }
        for option in CLITerms.options.values {
            #expect(helps.contains { $0.contains("\n  \(option) ") || $0.contains(", \(option) ") }, "\(option)")
        }
        for command in CLITerms.commands.values {
            #expect(helps.contains { $0.contains("USAGE: \(command) ") }, "\(command)")
        }
    }
}
