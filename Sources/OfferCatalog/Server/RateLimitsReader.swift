import OfferModel

/// Reads `rateLimits` of `offerd.yaml`.
enum RateLimitsReader {
    static func read(_ field: Field) -> RateLimits {
        var limits = RateLimits()
        if field.isOff { return .off }
        guard let mapping = field.mapping(["key", "customer", "failedAuthentication"]) else { return limits }
        if let limit = mapping.optional("key") { limits.key = limit.rateLimit() }
        if let limit = mapping.optional("customer") { limits.customer = limit.rateLimit() }
        if let limit = mapping.optional("failedAuthentication") { limits.failedAuthentication = limit.rateLimit() }
        return limits
    }
}

extension Field {
    /// Whether it says `off`, quoted or not.
    fileprivate var isOff: Bool {
        guard case .scalar("off", _) = node.content else { return false }
        return true
    }

    /// `nil` for `off`, and for what is logged as an error.
    fileprivate func rateLimit() -> RateLimit? {
        guard !isOff, let mapping = mapping(["perSecond", "burst"]) else { return nil }
        let perSecond = mapping.required("perSecond")?.wholeNumber(RateLimit.range)
        let burst = mapping.required("burst")?.wholeNumber(RateLimit.range)
        guard let perSecond, let burst else { return nil }
        return RateLimit(perSecond: perSecond, burst: burst)
    }
}
