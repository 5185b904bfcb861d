import HTTPTypes
import OfferAPI

/// The rest of a request's body has not come in time; whoever reads the body meets this error in its place.
struct LateBody: Error {
    /// How long it was waited for.
    var patience: Duration
}

extension Problem {
    /// A part of the request has not come in time. The connection ends with the answer.
    ///
    /// - Parameter part: what is missing, such as `headers`.
    static func late(_ part: String, after patience: Duration) -> Problem {
        var problem = Problem(
            .invalidRequest, "the \(part) did not arrive within \(patience.inWords)",
            hint: "send the whole request without a pause, on a new connection")
        problem.headers[.connection] = "close"
        return problem
    }
}

extension Duration {
    /// Whole seconds, or milliseconds where there are some.
    fileprivate var inWords: String {
        let milliseconds = components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
        return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
    }
}
