import Foundation
import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Private key material")
struct KeySecrecyTests {
    @Test(
        "no private key text is in a description, a dump, an error, an answer, a record or the database (invariant 9)")
    func nowhere() async throws {
        let bench = try await Workbench(onFile: true)
        let pem = try String(contentsOfFile: bench.directory.path("key.p8"), encoding: .utf8)
        let lines = pem.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("-----") }
        let der = [UInt8](try #require(Data(base64Encoded: lines.joined())))
        // PKCS#8 of P-256: the scalar's 32 bytes follow the inner version 1.
        let marker = try #require(der.indices.dropLast(36).first { Array(der[$0..<($0 + 5)]) == [2, 1, 1, 4, 32] })
        let scalar = Array(der[(marker + 5)..<(marker + 37)])
        let hexadecimal = Hexadecimal.lowercase(scalar)

        var shown = ""
        dump(bench.registry, to: &shown)
        dump(bench.useCases, to: &shown)
        let granted = try await bench.granted(.of("comeback", try bench.shop.delivery(.lapsed, "100")))
        let refusal = try await bench.refused(.of("welcome", try bench.shop.delivery(.trialUsed, "200")))
        dump(granted, to: &shown)
        dump(refusal, to: &shown)
        shown += "\(bench.registry)\(bench.useCases)\(granted)\(refusal)\(String(reflecting: bench.key))"
        var errors = [any Error]()
        for order in [
            IssueRequest(offerId: "nothing", customer: named("100")),
            IssueRequest(offerId: "either", customer: named("100")),
            IssueRequest.of("comeback", SignedDelivery(signedTransactions: ["a.b.c"])),
        ] {
            do { _ = try await bench.ask(order) } catch { errors.append(error) }
        }
        #expect(errors.count == 3)
        dump(errors, to: &shown)
        shown += "\(errors)"
        let bodies = try await bench.database.read { transaction in
            try transaction.rows(Statement("SELECT record FROM decision")).map { try $0.value(0, as: [UInt8].self) }
        }
        #expect(bodies.count == 2)
        for body in bodies {
            shown += String(decoding: body, as: UTF8.self)
            shown += "\(try DecisionRecord(stored: body))"
            #expect(Data(body).range(of: Data(scalar)) == nil)
        }
        for line in lines { #expect(!shown.contains(line)) }
        #expect(!shown.contains(hexadecimal))
        #expect(!shown.contains(scalar.map(String.init).joined(separator: ", ")))
        #expect(!shown.contains("PRIVATE KEY"))

        try bench.database.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: bench.directory.url.path)
        where name.hasPrefix("offers.sqlite") {
            let bytes = try Data(contentsOf: bench.directory.url.appending(path: name))
            #expect(bytes.range(of: Data(scalar)) == nil)
            for line in lines { #expect(bytes.range(of: Data(line.utf8)) == nil) }
        }
    }
}
