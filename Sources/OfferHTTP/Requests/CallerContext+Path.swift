import Hummingbird
import OfferAPI

extension CallerContext {
    /// What stands in the path in a placeholder's stead, such as the `id` of `/v1/offers/{id}/pause`: the text that its
    /// percent-encoding means, held to what every text of a request keeps to.
    ///
    /// - Throws: ``RequestFault`` at `path.<name>`.
    func pathText(_ name: String) throws -> String {
        let raw = try parameters.require(name)
        guard let text = PercentEncoding.decoded(raw, plusIsSpace: false) else {
            throw fault(name, .invalidValue, "`\(raw.prefix(100))` is not percent-encoded UTF-8")
        }
        if let (code, detail) = RequestRules.fault(inText: text, maximum: RequestRules.identifierLength) {
            throw fault(name, code, detail)
        }
        return text
    }

    private func fault(_ name: String, _ code: RequestErrorCode, _ detail: String) -> RequestFault {
        RequestFault(errors: [ProblemErrorBody(path: "path.\(name)", code: code.rawValue, detail: detail)])
    }
}
