import AsyncHTTPClient
import Foundation
import OfferModel
import OfferTestSupport
import Testing

/// A token of SoftHSM in a directory of its own, with the key of an installation in it.
private struct Token {
    static let pin = "offers-s3cret"
    private static let module = "/usr/lib/softhsm/libsofthsm2.so"

    static var isPossible: Bool {
        FileManager.default.fileExists(atPath: module)
            && (try? Command.run("openssl", ["engine", "pkcs11"]).status) == 0
    }

    let installation: Installation
    /// What SoftHSM finds its tokens by.
    var variable: String { "SOFTHSM2_CONF=\(installation.directory.path("softhsm2.conf"))" }

    init() async throws {
        installation = try await Installation()
        let directory = installation.directory
        try directory.write("directories.tokendir = \(directory.url.path)/tokens\n", to: "softhsm2.conf")
        let made = try Command.run(
            "sh",
            [
                "-ec",
                """
                mkdir tokens
                softhsm2-util --init-token --free --label offers --so-pin 12345678 --pin \(Self.pin)
                softhsm2-util --import signing.p8 --token offers --label signing --id a1 --pin \(Self.pin)
                openssl pkey -in signing.p8 -pubout -out public.pem
                rm signing.p8
                """,
            ], environment: BuiltProgram.base.merging(["SOFTHSM2_CONF": directory.path("softhsm2.conf")]) { $1 },
            directory: directory.url)
        try #require(made.status == 0, "\(made.errorText)")
        try directory.write(Self.pin + "\n", to: "pin")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: directory.path("pin"))
        try name("object=signing")
    }

    /// Names the key by a library that has the troubles of the fixture.
    func nameByTroubledLibrary() throws {
        let directory = installation.directory
        try directory.write(try Fixture.text("troubled-token.c"), to: "token.c")
        let made = try Command.run(
            "cc", ["-shared", "-fPIC", "-o", directory.path("token.so"), directory.path("token.c"), "-ldl"])
        try #require(made.status == 0, "\(made.errorText)")
        try name("object=signing", module: directory.path("token.so"))
    }

    var troubles: String { "TOKEN_TROUBLE=\(installation.directory.url.path)" }

    /// Names a key of the token in keys.yaml.
    func name(_ attributes: String, module: String = module, pin: String = "file:pin") throws {
        let keys = try String(contentsOfFile: installation.directory.path("keys.yaml"), encoding: .utf8)
        let source = "pkcs11:token=offers;\(attributes)?module-path=\(module)&pin-source=\(pin)"
        try installation.directory.write(
            keys.replacing(#/privateKey: .*, use/#, with: "privateKey: \"\(source)\", use"), to: "keys.yaml")
    }
}

@Suite(
    "A signing key in a token",
    .enabled(if: Token.isPossible, "SoftHSM or libcrypto's engine for tokens is missing here"))
struct TokenTests {
    @Test("signs V1 and V2 for many at once; the App Store's rules, checked by `openssl`, accept each (invariant 9)")
    func signs() async throws {
        let token = try await Token()
        let installation = token.installation
        let directory = installation.directory
        let server = try await RunningServer.start(installation, under: [token.variable])
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, server, client: client)
        let answers = try await withThrowingTaskGroup(of: RunningServer.Answer.self) { group in
            for customer in 0..<24 {
                group.addTask {
                    try await server.ask(
                        "POST", "/v1/issued-offers", token: try installation.token(.client),
                        body: """
                            {"offerId":"comeback","formats":["v1","v2"],"customer":{"originalTransactionId":\
                            "\(Installation.originalTransactionId(customer))"},\
                            \(try installation.lapsedCustomer(customer))}
                            """, client: client)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.map(\.status) == Array(repeating: 201, count: 24))
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Scripts/verify_signatures.py")
        for answer in answers {
            let file = try directory.write(answer.body, to: "answer.json")
            let judge = try Command.run(
                "python3", [script.standardizedFileURL.path, directory.path("public.pem"), file])
            #expect(judge.status == 0, "\(judge.text)\(judge.errorText)")
            #expect(judge.text.contains("v1") && judge.text.contains("v2"))
        }
        try await client.shutdown()
        #expect(await server.stop() == 0)
        let logs = try installation.logs().joined()
        #expect(!logs.contains(Token.pin) && logs.contains("pkcs11") == false, "\(logs)")
    }

    @Test("faults of the token, its library or the PIN are named, and the PIN is never shown")
    func mistakes() async throws {
        let token = try await Token()
        let directory = token.installation.directory
        func check(_ variables: [String: String] = [:]) async throws -> Command {
            let parts = token.variable.split(separator: "=", maxSplits: 1).map(String.init)
            return try await Installation.offerd.run(
                ["keys", "check", "--config", "offerd.yaml"],
                environment: [parts[0]: parts[1]].merging(variables) { $1 }, directory: directory.url)
        }
        let right = try await check()
        #expect(right.status == 0, "\(right.errorText)")
        #expect(right.text.contains("ok: pkcs11:token=offers;object=signing is a P-256 key, key id LOCALTEST1\n"))
        try token.name("id=%a1", pin: "env:TOKEN_PIN")
        #expect(try await check(["TOKEN_PIN": Token.pin]).status == 0)

        let uri = "pkcs11:token=offers;id=%a1"
        let mistakes: [(set: () throws -> Void, variables: [String: String], error: String, status: Int32)] = [
            (
                {}, [:],
                "environment variable `TOKEN_PIN` is not set, and keys.yaml takes the PIN of key `LOCALTEST1` from it",
                2
            ),
            ({}, ["TOKEN_PIN": "\(Token.pin)0"], "the token of `\(uri)` refuses the PIN", 2),
            ({ try token.name("id=%a2") }, [:], "no token has the private key `pkcs11:token=offers;id=%a2`", 1),
            (
                { try token.name("id=%a1", module: directory.path("keys.yaml")) }, [:],
                "the PKCS #11 library `\(directory.path("keys.yaml"))` cannot be loaded", 1
            ),
            (
                {
                    try token.name("id=%a1")
                    try FileManager.default.setAttributes(
                        [.posixPermissions: 0o644], ofItemAtPath: directory.path("pin"))
                }, [:], "key file `\(directory.path("pin"))` has mode `0644`: the group or others have access to it", 2
            ),
        ]
        for mistake in mistakes {
            try mistake.set()
            let run = try await check(mistake.variables)
            let lines = run.errorText.split(separator: "\n").map(String.init)
            #expect(run.status == mistake.status)
            #expect(lines.first == "error: \(mistake.error)")
            #expect(lines.count == 2 && lines.last?.hasPrefix("hint: ") == true, "\(lines)")
            #expect(!run.errorText.contains(Token.pin))
        }
    }

    @Test("a token that has lost its sessions makes the server not ready at once; what is signed is handed out")
    func lostSessions() async throws {
        let token = try await Token()
        try token.nameByTroubledLibrary()
        let installation = token.installation
        let server = try await RunningServer.start(installation, under: [token.variable, token.troubles])
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, server, client: client)
        func issue(_ customer: Int) async throws -> RunningServer.Answer {
            try await server.ask(
                "POST", "/v1/issued-offers", token: try installation.token(.client),
                body: """
                    {"offerId":"comeback","customer":{"originalTransactionId":\
                    "\(Installation.originalTransactionId(customer))"},\(try installation.lapsedCustomer(customer))}
                    """, client: client)
        }
        #expect(try await issue(1).status == 201)
        try installation.directory.write("", to: "lose")
        let refused = try await issue(2)
        #expect(refused.status == 503)
        #expect(refused.json["code"] as? String == "not-ready")
        let ready = try await server.ask("GET", "/readyz", token: "none", client: client)
        #expect(ready.status == 503)
        #expect(ready.json["detail"] as? String == "a signing key fails its self-test")
        #expect(try await issue(1).status == 200)
        try await client.shutdown()
        #expect(await server.stop() == 0)
    }

    @Test("a key that its token does not let sign is refused for that, and not for its public half")
    func refusesToSign() async throws {
        let token = try await Token()
        try token.nameByTroubledLibrary()
        let directory = token.installation.directory
        try directory.write("", to: "refuse")
        let parts = [token.variable, token.troubles].map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        let run = try await Installation.offerd.run(
            ["keys", "check", "--config", "offerd.yaml"],
            environment: Dictionary(parts.map { ($0[0], $0[1]) }) { first, _ in first }, directory: directory.url)
        #expect(run.status == 2)
        #expect(
            run.errorText == """
                error: `pkcs11:token=offers;object=signing` cannot sign
                hint: if it is in a token, allow it to sign with ECDSA: its attribute CKA_SIGN must be true

                """)
    }
}
