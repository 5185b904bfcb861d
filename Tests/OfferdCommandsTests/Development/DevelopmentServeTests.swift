import AsyncHTTPClient
import Foundation
import OfferDocuments
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferdCommands

@Suite("Serving an app in Xcode")
struct DevelopmentServeTests {
    private let project: StoreKitProject
    private static let account = "33333333-3333-4333-8333-333333333333"

    init() throws {
        project = try StoreKitProject()
    }

    private func file(_ name: String) throws -> String {
        try String(contentsOfFile: project.directory.path(".offerd-xcode/\(name)"), encoding: .utf8)
    }

    private func issue(_ transaction: String, at server: RunningServer) async throws -> RunningServer.Answer {
        try await server.ask(
            "POST", "/v1/issued-offers", token: try file("client.token").trimmingCharacters(in: .newlines),
            body: """
                {"offerId": "comeback50", "formats": ["v1", "v2"], "customer": {"appAccountToken": "\(Self.account)"},
                 "signedTransactions": ["\(transaction)"], "historyComplete": true}
                """, client: .shared)
    }

    @Test("a purchase that Xcode signed leads to an offer that is signed with the key of the StoreKit file")
    func issues() async throws {
        let server = try await project.start()
        let answer = try await issue(project.transaction(account: Self.account), at: server)
        #expect(answer.status == 201, "\(answer.json)")
        #expect(answer.json["environment"] as? String == "Xcode")
        let v1 = try #require((answer.json["signatures"] as? [String: [String: Any]])?["v1"])
        let fields = [
            StoreKitProject.app, "3F2A9C41", "com.example.pro.monthly", "comeback50", Self.account,
            try #require(v1["nonce"] as? String), "\(try #require(v1["timestamp"] as? Int64))",
        ]
        let message = try project.directory.write(fields.joined(separator: "\u{2063}"), to: "message")
        let base64 = try #require(v1["signature"] as? String)
        let signature = try project.directory.write(try #require(Data(base64Encoded: base64)), to: "signature")
        let judge = try Command.run(
            "openssl",
            ["dgst", "-sha256", "-verify", project.directory.path("key.pub"), "-signature", signature, message])
        #expect(judge.text == "Verified OK\n", "\(judge.errorText)")
        #expect(await server.stop() == 0)
    }

    @Test("a purchase under another certificate of that name is refused (invariant 6)")
    func foreign() async throws {
        let server = try await project.start()
        let foreign = try project.transaction(signedBy: StoreKitProject.certificate(), account: Self.account)
        let answer = try await issue(foreign, at: server)
        #expect(answer.status == 422, "\(answer.json)")
        #expect("\(answer.json)".contains("untrustedRoot"))
        #expect(await server.stop() == 0)
    }

    @Test("it prints a command that works as it is, and a second run keeps the folder and its tokens")
    func again() async throws {
        let first = try await project.start()
        let token = try file("client.token").trimmingCharacters(in: .newlines)
        #expect(
            first.printed[1...3] == [
                "folder: \(project.directory.path(".offerd-xcode"))", "API pages: \(first.url)/docs",
                "client token: \(token)",
            ])
        let curl = try Command.run("sh", ["-c", first.printed[4]], directory: project.directory.url)
        let answer = try JSONSerialization.jsonObject(with: Data(curl.text.utf8)) as? [String: Any]
        let decisions = try #require(answer?["decisions"] as? [[String: Any]], "\(curl.text)\(curl.errorText)")
        #expect(decisions.map { $0["offerId"] as? String } == ["comeback50"])
        // A few lines of a terminal, and the next prompt is on a line of its own.
        #expect(curl.text.utf8.count < 1_000 && curl.text.hasSuffix("}\n"), "\(curl.text)")
        #expect(try await first.ask("GET", "/docs", token: "", client: .shared).status == 200)
        #expect(await first.stop() == 0)
        let keys = try file("keys.yaml")
        let second = try await project.start()
        #expect(second.printed[3] == "client token: \(token)")
        #expect(try file("keys.yaml") == keys)
        #expect(await second.stop() == 0)
    }

    @Test("the catalog has the file's subscriptions and offers, and only the owner can read what was created")
    func catalog() async throws {
        let server = try await project.start()
        #expect(await server.stop() == 0)
        #expect(try file(".gitignore") == "*\n")
        let catalog = try CatalogReader.read(try file("catalog.yaml")).value
        let group = try #require(catalog.subscriptionGroups.first)
        #expect(group.id == "6F3A93AB")
        #expect(
            group.products == [
                Product(
                    productId: "com.example.pro.monthly", level: 1, period: Period(months: 1),
                    price: Money(milliunits: 9_990, currency: "EUR"))
            ])
        #expect(
            catalog.offers.map(\.id) == ["com.example.pro.monthly.introductory", "comeback50", "free-month", "back3"])
        #expect(catalog.offers.map(\.type) == [.introductory, .promotional, .promotional, .winBack])
        #expect(catalog.offers.map(\.paymentMode) == [.freeTrial, .payAsYouGo, .freeTrial, .payUpFront])
        #expect(catalog.offers.map(\.periodCount) == [1, 3, 1, 1])
        #expect(catalog.offers.map(\.price?.milliunits) == [nil, 4_990, nil, 19_990])
        #expect(catalog.offers.allSatisfy { $0.status == .active && $0.limits.isEmpty })
        for name in ["keys/SubscriptionKey_3F2A9C41.p8", "client.token", "xcode.cer", "keys.yaml", "offers.sqlite"] {
            let path = project.directory.path(".offerd-xcode/\(name)")
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
    }

    @Test("the catalog follows the file until another is applied")
    func follows() async throws {
        func offers() async throws -> Set<String> {
            let server = try await project.start()
            let answer = try await server.ask(
                "GET", "/v1/offers", token: try file("marketing.token").trimmingCharacters(in: .newlines),
                client: .shared)
            #expect(await server.stop() == 0)
            return Set((answer.json["items"] as? [[String: Any]])?.compactMap { $0["offerId"] as? String } ?? [])
        }
        let start = try await offers()
        #expect(start.contains("free-month"))
        let store = try String(contentsOfFile: project.directory.path("Store.storekit"), encoding: .utf8)
        try project.directory.write(store.replacing("free-month", with: "month-on-us"), to: "Store.storekit")
        #expect(try await offers().contains("month-on-us"))
        let own = try file("catalog.yaml").replacing("month-on-us", with: "own")
        try project.directory.write(own, to: "own.yaml")
        let given = try await project.start(["--catalog", "own.yaml"])
        #expect(await given.stop() == 0)
        let end = try await offers()
        #expect(end.contains("own") && !end.contains("month-on-us"))
    }

    @Test("a folder that was made with another key stays as it is")
    func otherKey() async throws {
        let server = try await project.start()
        #expect(await server.stop() == 0)
        let key = try file("keys/SubscriptionKey_3F2A9C41.p8")
        try project.write(key: "prime256v1")
        let run = try await project.failure()
        #expect(run.status == 1)
        #expect(
            run.errorText == """
                error: `\(project.directory.path(".offerd-xcode"))` was made for another app, key or certificate: \
                `keys/SubscriptionKey_3F2A9C41.p8` differs
                hint: delete the folder to start again, or name another with `--folder`

                """)
        #expect(try file("keys/SubscriptionKey_3F2A9C41.p8") == key)
    }

    @Test(
        "a StoreKit file that cannot be used is named with what to do in Xcode, and nothing is created",
        arguments: [
            ("\"subscriptionOffersKeyPair\"", "\"other\"", "`Store.storekit` has no Subscription Offers Key"),
            (
                "\"subscriptionGroups\"", "\"groups\"",
                "`Store.storekit` is not a StoreKit configuration file: `subscriptionGroups` is missing"
            ),
            (
                "\"displayPrice\" : \"9.99\"", "\"displayPrice\" : 9.99",
                "`Store.storekit` is not a StoreKit configuration file: "
                    + "`subscriptionGroups[0].subscriptions[0].displayPrice` is not what Xcode writes there"
            ),
            ("{\n  \"appPolicies\"", "\"", "`Store.storekit` is not a StoreKit configuration file: it is not JSON"),
            ("3F2A9C41", "3F2A/9C41", "`3F2A/9C41` cannot be a key ID"),
            ("\"9.99\"", "\"9,99\"", "the price `9,99` of `com.example.pro.monthly` cannot be part of a catalog"),
            (
                "com.example.pro.monthly", "a b",
                "`a b` is not a product identifier in the catalog made from "
                    + "`Store.storekit`, at subscriptionGroups[0].products[0].productId"
            ),
        ])
    func unusable(old: String, new: String, message: String) async throws {
        try project.write(key: "prime256v1") { $0.replacing(old, with: new) }
        let run = try await project.failure()
        #expect(run.status == 2)
        #expect(run.errorText.hasPrefix("error: \(message)\n"), "\(run.errorText)")
        #expect(run.errorText.contains("\nhint: "))
        #expect(!FileManager.default.fileExists(atPath: project.directory.path(".offerd-xcode")))
    }

    @Test(
        "a file that is none of Xcode's is refused as what it is",
        arguments: [
            ("", "it is not JSON"), ("[]", "it is not a JSON object"), ("null", "it is not a JSON object"),
            (String(repeating: "[", count: 100_000), "it is not JSON"), ("\u{FEFF}{", "it is not JSON"),
        ])
    func otherFiles(text: String, reason: String) async throws {
        try project.directory.write(text, to: "Store.storekit")
        let run = try await project.failure()
        #expect(run.status == 2)
        #expect(
            run.errorText == """
                error: `Store.storekit` is not a StoreKit configuration file: \(reason)
                hint: in Xcode, choose File, New, File from Template, StoreKit Configuration File

                """)
    }

    @Test("a huge file, a directory, a second file and a folder without a name are refused")
    func otherArguments() async throws {
        try project.directory.write(String(repeating: " ", count: 4 * 1_024 * 1_024 + 1), to: "huge")
        try project.directory.write("", to: "directory/file")
        func error(_ more: [String]) async throws -> String? {
            let run = try await project.failure(StoreKitProject.arguments + more)
            #expect(run.status == 2)
            return run.errorText.split(separator: "\n").first.map(String.init)
        }
        #expect(
            try await error(["--storekit", "huge"])
                == "error: StoreKit configuration file `huge` has more than 4194304 bytes")
        #expect(
            try await error(["--storekit", "directory"])
                == "error: StoreKit configuration file `directory` cannot be read: it is a directory")
        #expect(try await error(["--certificate", "huge"]) == "error: certificate `huge` has more than 65536 bytes")
        #expect(try await error(["Other.storekit"]) == "error: unexpected argument `Other.storekit`")
        #expect(try await error(["--folder", ""]) == "error: the name of the folder is empty")
        #expect(!FileManager.default.fileExists(atPath: project.directory.path(".offerd-xcode")))
    }

    @Test("an offer that several products have in the file is one of the catalog; other terms are left out and said")
    func sharedOffers() throws {
        func file(_ price: String) throws -> StoreKitFile {
            try project.write(key: "prime256v1")
            let text = try String(contentsOfFile: project.directory.path("Store.storekit"), encoding: .utf8)
            var root = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            var groups = try #require(root["subscriptionGroups"] as? [[String: Any]])
            let monthly = try #require((groups.first?["subscriptions"] as? [[String: Any]])?.first)
            let copy = String(decoding: try JSONSerialization.data(withJSONObject: monthly), as: UTF8.self)
                .replacing("pro.monthly", with: "pro.yearly").replacing("4.99", with: price)
            groups[0]["subscriptions"] = [monthly, try JSONSerialization.jsonObject(with: Data(copy.utf8))]
            root["subscriptionGroups"] = groups
            try project.directory.write(
                try JSONSerialization.data(withJSONObject: root), to: "Store.storekit")
            return try StoreKitFile(path: project.directory.path("Store.storekit"))
        }
        var leftOut: [String] = []
        let same = try file("4.99").catalog(for: StoreKitProject.app) { leftOut.append($0) }
        #expect(same.offers.map(\.products.count) == [1, 2, 2, 2, 1])
        #expect(leftOut == [])
        let other = try file("3.99").catalog(for: StoreKitProject.app) { leftOut.append($0) }
        #expect(other.offer("comeback50")?.products == ["com.example.pro.monthly"])
        #expect(
            leftOut == [
                "`comeback50` of `com.example.pro.yearly` is left out: its terms differ from those of "
                    + "`comeback50` of `com.example.pro.monthly`, and a catalog has one offer of a name in a group"
            ])
    }

    @Test("with --yes it listens on every address, and its command asks from this machine")
    func network() async throws {
        let run = try await Installation.offerd.runUntilLine(
            StoreKitProject.arguments + ["--listen", "0.0.0.0:0", "--yes"], directory: project.directory.url)
        #expect(run.status == 0, "\(run.errorText)")
        let lines = run.text.split(separator: "\n")
        let port = try #require(lines.first?.split(separator: ":").last)
        #expect(lines.first == "listening on http://0.0.0.0:\(port)")
        #expect(
            lines.last?.hasPrefix("curl -sS -w '\\n' http://127.0.0.1:\(port)/v1/decisions ") == true, "\(run.text)")
    }

    @Test(
        "an address of every interface is shown as those of the machine, this machine's first",
        arguments: [
            ("http://0.0.0.0:8080", "http://127.0.0.1:8080"), ("http://[::]:8080", "http://[::1]:8080"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("http://192.0.2.1:8080", "http://192.0.2.1:8080"),
            ("http://[::1]:8080", "http://[::1]:8080"),
        ])
    func urls(bound: String, first: String) {
        let urls = DevelopmentServe.urls(of: bound)
        #expect(urls.first == first)
        #expect(urls.dropFirst().allSatisfy { $0.hasSuffix(":8080") && !$0.contains("//127.") })
        #expect(urls.count == 1 || bound.contains("//0.0.0.0:") || bound.contains("//[::]:"))
    }

    @Test(
        "only an address that other machines can reach needs --yes, however it is written",
        arguments: [
            ("127.0.0.1:0", true), ("127.0.0.2:0", true), ("localhost:0", true), ("LOCALHOST:0", true),
            ("[::1]:0", true), ("[0:0:0:0:0:0:0:1]:0", true), ("[::FFFF:127.0.0.1]:0", true), ("0.0.0.0:0", false),
            ("[::]:0", false), ("128.0.0.1:0", false), ("[1::1]:0", false), ("[::ffff:10.0.0.1]:0", false),
            ("127.0.0.1.example.com:0", false), ("localhost.example.com:0", false),
        ])
    func loopback(address: String, isLoopback: Bool) throws {
        #expect(try #require(ListenAddress(address)).isLoopback == isLoopback)
    }

    @Test("a key on another curve, a missing or wrong certificate and an address of other machines are refused")
    func refused() async throws {
        try project.write(key: "secp384r1")
        let curve = try await project.failure()
        #expect(
            curve.errorText == """
                error: the Subscription Offers Key of `Store.storekit` is on the curve `secp384r1`, not on P-256
                hint: in Xcode, open the file and generate one: Editor, Subscription Offers Key

                """)
        try project.write(key: "prime256v1")
        func fails(_ option: String, _ value: String) async throws -> String {
            var arguments = StoreKitProject.arguments
            let index = try #require(arguments.firstIndex(of: option))
            arguments[index + 1] = value
            let run = try await project.failure(arguments)
            #expect(run.status == 2)
            return run.errorText
        }
        #expect(
            try await fails("--certificate", "none.cer")
                == "error: certificate `none.cer` cannot be read: there is no such file\n")
        #expect(
            try await fails("--certificate", "key.pub").hasPrefix(
                "error: certificate `key.pub`: a trusted root for `Xcode` is not the DER of one certificate\nhint: in Xcode, "
            ))
        #expect(
            try await fails("--storekit", "none").hasPrefix(
                "error: StoreKit configuration file `none` cannot be read: there is no such file\n"))
        #expect(try await fails("--app", "com example").hasPrefix("error: `com example` is not a bundle identifier"))
        for address in ["8080", "0.0.0.0", "localhost:", ":8080", "127.0.0.1:65536", "http://127.0.0.1:8080"] {
            #expect(
                try await fails("--listen", address).hasPrefix(
                    "error: `\(address)` is not an address to listen on: write `127.0.0.1:8080`"))
        }
        for address in ["0.0.0.0:8080", "192.168.1.7:8080", "[::]:0", "127.0.0.1.example.com:8080"] {
            let error = try await fails("--listen", address)
            #expect(error.hasPrefix("error: every machine of the network could reach `\(address)`: "), "\(error)")
            #expect(error.hasSuffix("add `--yes`\n"), "\(error)")
        }
        #expect(!FileManager.default.fileExists(atPath: project.directory.path(".offerd-xcode")))
    }
}
