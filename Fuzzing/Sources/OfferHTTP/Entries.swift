public import OfferAPI
public import OfferApplication
package import OfferModel

// What this module keeps to itself, for the target of the fuzzer.

extension Inquiry {
    /// Reads and checks a body of `POST /v1/decisions` as the server does.
    public init(body: [UInt8]) throws {
        self = try WireJSON.decodeRequest(Inquiry.self, from: body)
        try check()
    }
}

extension PassedSignature {
    /// Reads and checks a body of `POST /v1/signature-checks` as the server does.
    package init(body: [UInt8]) throws {
        self = try WireJSON.decodeRequest(PassedSignature.self, from: body)
        try check()
    }
}

extension SignatureDiagnosis {
    /// The answer's JSON.
    package func json() throws -> [UInt8] { try WireJSON.encode(self) }
}

extension InquiryAnswer {
    /// The answer's JSON as staff and as a backend get it.
    public func json() throws -> [[UInt8]] {
        try [
            WireJSON.encode(DecisionsBody(self, role: .support, locale: nil)),
            WireJSON.encode(DecisionsBody(self, role: .client, locale: "ja")),
        ]
    }
}
