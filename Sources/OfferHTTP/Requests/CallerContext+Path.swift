import Hummingbird
import OfferAPI

extension CallerContext {
    /// What stands in the path in a placeholder's stead, such as the `id` of `/v1/offers/{id}/pause`: the text that its
    /// percent-encoding means, whether or not anything has that name.
    ///
    /// - Throws: ``RequestFault`` at `path.<name>` if it means none.
    func pathText(_ name: String) throws -> String {
        let raw = try parameters.require(name)
        guard let text = PercentEncoding.decoded(raw, plusIsSpace: false) else {
            throw RequestFault(errors: [
                ProblemErrorBody(
                    path: "path.\(name)", code: RequestErrorCode.invalidValue.rawValue,
                    detail: "`\(raw.prefix(100))` is not percent-encoded UTF-8")
            ])
        }
        return text
    }
}
