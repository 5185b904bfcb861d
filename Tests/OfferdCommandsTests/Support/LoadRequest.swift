import Foundation

/// A request of a client under load.
struct LoadRequest: Sendable, Hashable {
    /// Its `Idempotency-Key`; without one a retry is another request.
    var key: String?
    var number: String
    var body: String
}

/// A signature that a client holds in its hands, or the row of one.
struct IssuedSignature: Sendable, Hashable {
    var issuedOffer: String
    var nonce: String
    var artefact: String
}

/// An answer that has reached a client whole.
struct LoadAnswer: Sendable {
    var status: Int
    var text: String
    var signatures: [IssuedSignature]

    init(_ answer: RunningServer.Answer) {
        status = answer.status
        text = String(decoding: answer.body, as: UTF8.self)
        signatures = []
        guard let issuedOffer = answer.json["issuedOfferId"] as? String,
            let both = answer.json["signatures"] as? [String: [String: Any]]
        else { return }
        if let nonce = both["v1"]?["nonce"] as? String, let signature = both["v1"]?["signature"] as? String {
            signatures.append(IssuedSignature(issuedOffer: issuedOffer, nonce: nonce, artefact: signature))
        }
        if let jws = both["v2"]?["jws"] as? String, let nonce = Self.nonce(of: jws) {
            signatures.append(IssuedSignature(issuedOffer: issuedOffer, nonce: nonce, artefact: jws))
        }
    }

    /// The nonce in the payload of a JWS.
    private static func nonce(of jws: String) -> String? {
        let parts = jws.split(separator: ".")
        guard parts.count == 3 else { return nil }
        let base64 = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        let padded = base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)
        let payload = Data(base64Encoded: padded).flatMap { try? JSONSerialization.jsonObject(with: $0) }
        return (payload as? [String: Any])?["nonce"] as? String
    }
}
