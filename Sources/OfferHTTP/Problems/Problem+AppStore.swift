import OfferAPI
import OfferApplication
import OfferSigning

extension Problem {
    /// The App Store Server API gave no answer that can be used: `busy` where coming back later may be enough,
    /// `not-ready` where somebody has something to set right first.
    init(_ failure: AppStoreFailure) {
        self = Problem(failure.isTransient ? .busy : .notReady, failure.detail, hint: failure.hint)
            .retry(after: failure.secondsToWait)
    }

    /// Nothing of what the App Store Server API gave was believed, and so nothing of it is kept.
    static func appStoreDataRefused(_ refused: [RefusedData]) -> Problem {
        let first = refused.first.map { ": \($0.refusal.detail)" } ?? ""
        return Problem(
            .signedDataRefused, "nothing of what Apple gave was believed\(first)",
            hint: "check that `bundleId`, `appAppleId` and the environment in keys.yaml are the app's",
            errors: refused.map(ProblemErrorBody.init(ofAppStore:)))
    }
}

extension ProblemErrorBody {
    /// It stands in Apple's answer and not in the request, so a path names it.
    fileprivate init(ofAppStore refused: RefusedData) {
        self.init(path: refused.pointer, code: refused.refusal.code.rawValue, detail: refused.refusal.detail)
    }
}
