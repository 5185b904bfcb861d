import OfferAPI
import OfferModel
import Rounds

// usage: WireBenchmark ROUNDS parse|encode
//
// `parse` reads the body of an issue request as the server does; `encode` writes the body of its answer with a V1 and a
// V2 signature. A round does it a hundred times; the printed microseconds and `Scripts/bench`'s instructions are of
// one.

let repetitions = 100
let arguments = CommandLine.arguments.dropFirst()
let count = max(1, arguments.first.flatMap { Int($0) } ?? 200)
let request = Array(
    """
    {"offerId":"comeback","customer":{"originalTransactionId":"100000000064","appAccountToken":\
    "0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"},"formats":["v2","v1"],"signals":{"interactions":60,"plan":"team"},\
    "request":{"appVersion":"4.2.1","locale":"de-DE"}}
    """.utf8)
let answer = IssuedOfferView { offer in
    offer.issuedOfferId = LowercaseUUID(version4From: [UInt8](repeating: 1, count: 16))
    offer.decisionId = LowercaseUUID(version4From: [UInt8](repeating: 2, count: 16))
    offer.offerId = "comeback"
    offer.offerIdentifier = "comeback50"
    offer.productId = "com.example.pro.monthly"
    offer.bundleId = "com.example.pro"
    offer.keyId = "BENCH00001"
    offer.issuedAt = Instant(milliseconds: 1_795_000_000_123)
    offer.expiresAt = Instant(milliseconds: 1_795_086_400_123)
    offer.catalogRevision = 7
    offer.signatures.v1 = SignatureV1Body { signature in
        signature.keyId = "BENCH00001"
        signature.nonce = LowercaseUUID(version4From: [UInt8](repeating: 3, count: 16))
        signature.timestamp = Instant(milliseconds: 1_795_000_000_123)
        signature.signature = String(repeating: "MEUCIQ+/", count: 12)
        signature.appAccountToken = "0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"
    }
    offer.signatures.v2 = SignatureV2Body { $0.jws = String(repeating: "eyJhbGciOiJFUzI1NiIs", count: 26) }
}
var rounds = Rounds()
var bytes = 0

switch arguments.dropFirst().first {
case "parse":
    for _ in 0..<count {
        try rounds.measure {
            for _ in 0..<repetitions {
                bytes += try WireJSON.decodeRequest(IssueRequest.self, from: request).offerId.rawValue.utf8.count
            }
        }
    }
case "encode":
    for _ in 0..<count {
        try rounds.measure {
            for _ in 0..<repetitions { bytes += try WireJSON.encode(answer).count }
        }
    }
case let other:
    fatalError("`\(other ?? "")` is not `parse` or `encode`")
}

print("rounds \(count) of \(repetitions), \(rounds.text(each: repetitions)), \(bytes / count / repetitions) bytes each")
