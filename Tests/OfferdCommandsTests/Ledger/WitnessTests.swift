import AsyncHTTPClient
import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("The witness of the audit")
struct WitnessTests {
    private func installation() async throws -> Installation {
        let installation = try await Installation.withAudit()
        let keys = try String(contentsOfFile: installation.directory.path("keys.yaml"), encoding: .utf8)
        try installation.directory.write(
            keys.replacing("digestKey: digest.key }", with: "digestKey: digest.key, witness: elsewhere/witness }"),
            to: "keys.yaml")
        try FileManager.default.createDirectory(
            atPath: installation.directory.path("elsewhere"), withIntermediateDirectories: true)
        return installation
    }

    private func offerd(_ arguments: String..., in installation: Installation) async throws -> Command {
        try await Installation.offerd.run(
            arguments + ["--config", "offerd.yaml"], directory: installation.directory.url)
    }

    /// A start that changes something, and a stop that signs it.
    private func serve(_ installation: Installation, _ customers: Range<Int>) async throws {
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        if customers.lowerBound == 0 { try await TestCatalog.apply(installation, server, client: client) }
        for customer in customers {
            let body = """
                {"offerId":"comeback","customer":{"originalTransactionId":"\(Installation.originalTransactionId(customer))"},\
                \(try installation.lapsedCustomer(customer))}
                """
            let answer = try await server.ask(
                "POST", "/v1/issued-offers", token: try installation.token(.client), body: body, client: client)
            #expect(answer.status == 201, "\(answer.json)")
        }
        try await client.shutdown()
        #expect(await server.stop() == 0)
    }

    private func lines(_ installation: Installation) throws -> [String] {
        try String(contentsOfFile: installation.directory.path("elsewhere/witness"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }

    private func write(_ text: String, _ installation: Installation) throws {
        try Data(text.utf8).write(to: URL(filePath: installation.directory.path("elsewhere/witness")))
    }

    private func checkpoints(_ installation: Installation) throws -> Int {
        let count = try Command.run(
            "sqlite3", [installation.directory.path("offers.sqlite"), "SELECT COUNT(*) FROM audit_checkpoint"])
        return Int(count.text.trimmingCharacters(in: .newlines)) ?? -1
    }

    @Test("a database rolled back to an older copy is refused until an operator signs that it was on purpose")
    func rolledBack() async throws {
        let installation = try await installation()
        try await serve(installation, 0..<1)
        #expect(try await offerd("backup", "--out", "old.sqlite", in: installation).status == 0)
        try await serve(installation, 1..<2)
        let count = try checkpoints(installation)
        #expect(count >= 2)
        #expect(try lines(installation).count == count)
        let mode =
            try FileManager.default.attributesOfItem(
                atPath: installation.directory.path("elsewhere/witness"))[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        let proven = try await offerd("verify-ledger", in: installation)
        #expect(proven.status == 0 && proven.text.contains("witness: \(count) checkpoints, as in the database"))
        let script = Fixture.folder.appending(path: "verify_ledger.py").path
        let files = ["offers.sqlite", "digest.key", "audit.pem", "elsewhere/witness"].map {
            installation.directory.path($0)
        }
        let judge = try Command.run("python3", [script] + files)
        #expect(judge.status == 0, "\(judge.errorText)")

        let restored = try await offerd("restore", "old.sqlite", "--replace", in: installation)
        #expect(restored.status == 0 && restored.text.contains("--accept-restore"), "\(restored.errorText)")
        let found = try await offerd("verify-ledger", in: installation)
        #expect(found.status == 1 && found.errorText.contains("the database is an older copy"), "\(found.errorText)")
        #expect(found.errorText.contains("hint: if you restored the copy on purpose: `offerd verify-ledger --accept"))
        #expect(try Command.run("python3", [script] + files).status == 1)
        let refused = try await offerd("serve", in: installation)
        #expect(refused.status == 2 && refused.errorText.contains("the database is an older copy"))
        let doctor = try await offerd("doctor", in: installation)
        #expect(doctor.status == 1 && doctor.text.contains("the database is an older copy"), "\(doctor.text)")

        let accepted = try await offerd("verify-ledger", "--accept-restore", "the disk was lost", in: installation)
        #expect(accepted.status == 0, "\(accepted.errorText)")
        #expect(try lines(installation).count == count + 1)
        #expect(accepted.text.contains("offers with a limit are not issued for new uses until"))
        #expect(try await offerd("limits", "resume", in: installation).status == 0)
        try await serve(installation, 2..<3)
        let again = try await offerd("verify-ledger", in: installation)
        #expect(again.status == 0, "\(again.errorText)")
        let judged = try Command.run("python3", [script] + files)
        #expect(judged.status == 0, "\(judged.errorText)")
        #expect(try checkpoints(installation) < lines(installation).count)
    }

    @Test("a crash between a checkpoint and its line, or within the line, is mended at the next start")
    func behind() async throws {
        let installation = try await installation()
        try await serve(installation, 0..<1)
        let whole = try lines(installation)
        for left in [whole.dropLast().map { $0 + "\n" }.joined(), String(whole.joined(separator: "\n").dropLast(40))] {
            try write(left, installation)
            #expect(try await offerd("verify-ledger", in: installation).status == 0)
            try await serve(installation, 1..<1)
            let mended = try lines(installation)
            #expect(whole.allSatisfy(mended.contains))
            #expect(try await offerd("verify-ledger", in: installation).status == 0)
        }
    }

    @Test("a changed line, and a step back that the audit's key has not signed, are found")
    func forged() async throws {
        let installation = try await installation()
        try await serve(installation, 0..<1)
        #expect(try await offerd("backup", "--out", "old.sqlite", in: installation).status == 0)
        try await serve(installation, 1..<2)
        let whole = try lines(installation)
        let changed = try #require(whole.last).replacing("\"signedAt\":1", with: "\"signedAt\":2")
        try write((whole.dropLast() + [changed]).joined(separator: "\n") + "\n", installation)
        let found = try await offerd("verify-ledger", in: installation)
        #expect(
            found.status == 1 && found.errorText.contains("the database has another checkpoint of this number"),
            "\(found.errorText)")
        let refused = try await offerd("serve", in: installation)
        #expect(refused.status == 2)

        #expect(try await offerd("restore", "old.sqlite", "--replace", in: installation).status == 0)
        let fingerprint = try #require(whole.last?.firstMatch(of: /"keyFingerprint":"([0-9a-f]+)"/)?.1)
        let forged = """
            {"keyFingerprint":"\(fingerprint)","number":1,"reason":"forged","replaced":9,"signature":"3006020101020101",\
            "signedAt":1}
            """
        try write((whole + [forged]).joined(separator: "\n") + "\n", installation)
        #expect(try await offerd("serve", in: installation).status == 2)
    }

    @Test("doctor passes a fresh installation, whose witness the first start creates, and fails where it is gone")
    func doctor() async throws {
        let installation = try await installation()
        let fresh = try await offerd("doctor", in: installation)
        #expect(fresh.status == 0, "\(fresh.text)")
        #expect(fresh.text.contains("does not exist yet"))
        try await serve(installation, 0..<1)
        #expect(try await offerd("doctor", in: installation).status == 0)
        let witness = installation.directory.path("elsewhere/witness")
        try FileManager.default.removeItem(atPath: witness)
        let gone = try await offerd("doctor", in: installation)
        #expect(gone.status == 1 && gone.text.contains("is missing, and the audit has checkpoints"), "\(gone.text)")
        #expect(!FileManager.default.fileExists(atPath: witness))
        try FileManager.default.createDirectory(atPath: witness, withIntermediateDirectories: false)
        #expect(try await offerd("doctor", in: installation).status == 1)
    }

    @Test(
        "a witness that is missing stops a start that has checkpoints, and one that goes away while the server runs stops nothing"
    )
    func missing() async throws {
        let installation = try await installation()
        try await serve(installation, 0..<1)
        let witness = installation.directory.path("elsewhere/witness")
        try FileManager.default.moveItem(atPath: witness, toPath: witness + ".away")
        let refused = try await offerd("serve", in: installation)
        #expect(refused.status == 2 && refused.errorText.contains("is missing, and the audit has checkpoints"))
        #expect(refused.errorText.contains("hint: put the file back"))
        #expect(try await offerd("verify-ledger", in: installation).status == 2)
        try FileManager.default.moveItem(atPath: witness + ".away", toPath: witness)

        let server = try await RunningServer.start(installation)
        try FileManager.default.moveItem(
            atPath: installation.directory.path("elsewhere"), toPath: installation.directory.path("away"))
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        let body = """
            {"offerId":"comeback","customer":{"originalTransactionId":"\(Installation.originalTransactionId(7))"},\
            \(try installation.lapsedCustomer(7))}
            """
        let answer = try await server.ask(
            "POST", "/v1/issued-offers", token: try installation.token(.client), body: body, client: client)
        #expect(answer.status == 201)
        try await client.shutdown()
        #expect(await server.stop() == 0)
        #expect(try installation.logs().contains { $0.contains("could not be written to the witness") })
        try FileManager.default.moveItem(
            atPath: installation.directory.path("away"), toPath: installation.directory.path("elsewhere"))
        try await serve(installation, 8..<8)
        #expect(try lines(installation).count == checkpoints(installation))
    }
}
