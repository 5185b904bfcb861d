import Foundation
import LocalAppStore
import OfferModel
import OfferTestSupport
import Testing

@Suite struct IndependentVerificationTests {
    @Test("another implementation accepts the chain and the signature, and refuses one changed byte")
    func python() throws {
        let root = try LocalRoot.make(now: now)
        let scratch = try TemporaryDirectory()
        try root.write(to: scratch.path("certs"))
        let signed = try LocalAppStore(root: root).sign(
            scenario([.appTransaction(at: try at("-P20D")), try buy("-P10D")]), now: now)
        let script = try #require(Bundle.module.url(forResource: "Fixtures/verify_jws", withExtension: "py"))
        let all = signed.signedTransactions + signed.signedRenewalInfo + [try #require(signed.signedAppTransaction)]
        #expect(all.count == 3)
        for jws in all {
            let verdict = try Command.run(
                "python3", [script.path, scratch.path("certs/root.der")], input: Array(jws.utf8))
            #expect(verdict.text == "valid\n", "\(verdict.errorText)")
            let parts = jws.split(separator: ".")
            let flipped = parts[1].hasPrefix("eyJh") ? "eyJi" : "eyJh"
            let changed = "\(parts[0]).\(flipped)\(parts[1].dropFirst(4)).\(parts[2])"
            let second = try Command.run(
                "python3", [script.path, scratch.path("certs/root.der")], input: Array(changed.utf8))
            #expect(second.text == "bad signature\n", "\(second.errorText)")
        }
    }
}
