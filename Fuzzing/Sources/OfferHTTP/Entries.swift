public import OfferAPI
public import OfferApplication
package import OfferModel

// What this module keeps to itself, for the target of the fuzzer.

extension Inquiry {
    /// Reads a body of `POST /v1/decisions` and checks it as the server does, for an app and for staff.
    ///
    /// - Throws: `RequestFault` if staff may not ask it. An app may ask less; its checks only run.
    public init(body: [UInt8]) throws {
        self = try WireJSON.decodeRequest(Inquiry.self, from: body)
        try? check(by: .app)
        try check(by: .support)
    }
}

extension SignedDelivery {
    /// The signed data of a body that an `app` key may send to a call, read and checked as the server does.
    ///
    /// - Parameter type: `IssueRequest`, `Inquiry`, `StatusRequestBody` or `TransactionsRequestBody`.
    /// - Throws: `RequestFault`.
    package static func ofApp(_ body: [UInt8], _ type: Any.Type) throws -> SignedDelivery? {
        func read<Body: CheckedRequest>(_ type: Body.Type) throws -> Body {
            let request = try WireJSON.decodeRequest(type, from: body, values: 2_048)
            try request.check(by: .app)
            return request
        }
        switch type {
        case is IssueRequest.Type:
            return try read(IssueRequest.self).delivery
        case is Inquiry.Type:
            return try read(Inquiry.self).delivery
        case is StatusRequestBody.Type:
            return try read(StatusRequestBody.self).delivery
        case is TransactionsRequestBody.Type:
            return try read(TransactionsRequestBody.self).delivery
        default: return nil
        }
    }
}

extension PassedSignature {
    /// Reads and checks a body of `POST /v1/signature-checks` as the server does.
    package init(body: [UInt8]) throws {
        self = try WireJSON.decodeRequest(PassedSignature.self, from: body)
        try check(by: .support)
    }
}

extension SignatureDiagnosis {
    /// The answer's JSON.
    package func json() throws -> [UInt8] { try WireJSON.encode(self) }
}

extension InquiryAnswer {
    /// The answer's JSON as staff, a backend and an app get it.
    public func json() throws -> [[UInt8]] {
        try [
            WireJSON.encode(DecisionsBody(self, role: .support, locale: nil)),
            WireJSON.encode(DecisionsBody(self, role: .client, locale: "ja")),
            WireJSON.encode(DecisionsBody(self, role: .app, locale: "ja")),
        ]
    }
}
