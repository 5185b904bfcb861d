import Foundation
import LocalAppStore
import OfferModel
import OfferTestSupport
import Testing

extension ServiceFixture {
    /// The payload of a JWS, which is what Apple's documentation calls decoded.
    func decoded(_ jws: String, _ change: (inout [String: Any]) -> Void = { _ in }) throws -> String {
        let part = try #require(jws.split(separator: ".").dropFirst().first)
        let base64 = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let padded = base64.padding(toLength: (base64.count + 3) / 4 * 4, withPad: "=", startingAt: 0)
        let data = try #require(Data(base64Encoded: padded))
        var payload = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        change(&payload)
        return String(decoding: try JSONSerialization.data(withJSONObject: payload), as: UTF8.self)
    }

    /// The `history` of a dry-run with everything a scenario signed, decoded.
    func history(_ signed: SignedScenario, complete: Bool = true, more: String = "") throws -> String {
        let transactions = try signed.signedTransactions.map { try decoded($0) }.joined(separator: ",")
        let renewals = try signed.signedRenewalInfo.map { try decoded($0) }.joined(separator: ",")
        return #"{"transactions":[\#(transactions)],"renewalInfos":[\#(renewals)],"complete":\#(complete)\#(more)}"#
    }

    /// Asks `POST /v1/decisions`.
    func decide(_ body: String, role: Role = .support) async throws -> RawAnswer {
        try await ask("POST", "/v1/decisions", token: try await token(role), body: body)
    }

    /// Every table with its rows, as another process reads them.
    func databaseText() throws -> String {
        let program = "import sqlite3, sys; print('\\n'.join(sqlite3.connect(sys.argv[1]).iterdump()))"
        let result = try Command.run("python3", ["-c", program, directory.path("offers.sqlite")])
        guard result.status == 0 else { throw RawHTTP.Broken(reason: result.errorText) }
        return result.text
    }
}

extension RawAnswer {
    private var decisions: [[String: Any]] { json["decisions"] as? [[String: Any]] ?? [] }

    /// `comeback eligible` and so on; the whole answer if it decides nothing.
    var outcomes: [String] {
        guard status == 200 else { return [text] }
        return decisions.map { "\($0["offerId"] ?? "") \($0["outcome"] ?? "")" }
    }

    var findings: [[String: Any]] { decisions.flatMap { $0["findings"] as? [[String: Any]] ?? [] } }

    var evidence: [[String: Any]] { findings.flatMap { $0["evidence"] as? [[String: Any]] ?? [] } }

    /// The rules that say no.
    var violated: [String] {
        guard status == 200 else { return [text] }
        return findings.filter { $0["verdict"] as? String == "violated" }.compactMap { $0["rule"] as? String }
    }

    /// The pointers of the errors.
    var pointers: [String] { errors.map { $0["pointer"] as? String ?? "" } }
}
