import HTTPTypes
import OfferAPI
import OfferApplication
import OfferModel

extension Problem {
    /// A request that came too fast, with the fields of draft-ietf-httpapi-ratelimit-headers.
    static func rateLimited(_ rejected: RateLimited) -> Problem {
        let (policy, limit, wait) = (rejected.policy.rawValue, rejected.limit, rejected.secondsToWait)
        let (detail, hint) =
            switch rejected.policy {
            case .key:
                ("the API key makes too many requests", "`rateLimits.key` in offerd.yaml sets how many it may make")
            case .customer:
                (
                    "there are too many requests about this customer",
                    "ask about a customer when something has changed; `rateLimits.customer` in offerd.yaml sets how often"
                )
            case .authentication:
                (
                    "too many requests with an unknown API key came from this address",
                    "check the token; a valid one is accepted at once"
                )
            }
        var problem = Problem(.rateLimited, detail, hint: "retry in \(wait) s; \(hint)").retry(after: wait)
        problem.headers[.rateLimitPolicy] = "\"\(policy)\";q=\(limit.burst);w=\(limit.window)"
        problem.headers[.rateLimit] = "\"\(policy)\";r=0;t=\(wait)"
        return problem
    }
}
