import Foundation
import OfferTestSupport

extension Installation {
    /// An installation whose audit has keys of its own: `audit.p8`, `audit.pem` and `digest.key`.
    static func withAudit() async throws -> Installation {
        let installation = try await Installation()
        let directory = installation.directory
        let made = try await offerd.run(
            ["keys", "generate", "--out", "audit.p8", "--key-id", "AUDIT", "--public-key", "audit.pem"],
            directory: directory.url)
        guard made.status == 0 else { throw Failed(what: made.errorText) }
        let line = "(umask 077; openssl rand -hex 32 > digest.key)"
        guard try Command.run("bash", ["-c", line], directory: directory.url).status == 0 else {
            throw Failed(what: line)
        }
        let keys = try String(contentsOfFile: directory.path("keys.yaml"), encoding: .utf8)
        try directory.write(keys + "\naudit: { privateKey: audit.p8, digestKey: digest.key }\n", to: "keys.yaml")
        return installation
    }
}
