import HTTPTypes
import Hummingbird
import OfferAPI

/// The `Idempotency-Key` header: under it a client may repeat a request (docs/design.md#issuing).
enum IdempotencyKey {
    /// The key; `nil` if the client sent none.
    ///
    /// - Throws: ``RequestFault`` if it is not 1 to 255 visible ASCII characters, or given twice.
    static func of(_ request: Request) throws(RequestFault) -> String? {
        let values = request.headers[values: .idempotencyKey]
        guard let key = values.first else { return nil }
        guard values.count == 1, (1...255).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw RequestFault(errors: [
                ProblemErrorBody(
                    path: "header.Idempotency-Key", code: RequestErrorCode.invalidHeader.rawValue,
                    detail: "one key of 1 to 255 visible ASCII characters is needed",
                    hint: "use a fresh UUID for every new request, and the same one to repeat it")
            ])
        }
        return key
    }
}
