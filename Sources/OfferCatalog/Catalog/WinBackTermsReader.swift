import OfferModel

/// Reads App Store Connect's conditions of a win-back offer (facts of `WinBackOffer` in the App Store Connect API).
enum WinBackTermsReader {
    static let keys = [
        "paidSubscriptionDurationInMonths", "timeSinceLastSubscribedInMonths", "waitBetweenOffersInMonths",
    ]

    static func read(_ mapping: Mapping, _ type: OfferType?, _ delivery: Delivery?) -> WinBackTerms? {
        let written = keys.filter(mapping.has)
        if delivery == .appStore { warn(mapping, lacking: keys.prefix(2).filter { !written.contains($0) }) }
        guard !written.isEmpty else { return nil }
        guard type == .winBack || type == nil else {
            for key in written {
                mapping.refuse(key: key, .notAllowed, "`\(key)` goes with `type: winBack` only", hint: "leave it out")
            }
            return nil
        }
        let fields = Dictionary(written.map { ($0, mapping.optional($0)) }) { first, _ in first }
        return WinBackTerms(
            paidSubscriptionDurationInMonths: (fields[keys[0]] ?? nil).flatMap(paidDuration),
            timeSinceLastSubscribedInMonths: (fields[keys[1]] ?? nil).flatMap(timeSinceLastSubscribed),
            waitBetweenOffersInMonths: (fields[keys[2]] ?? nil)?.wholeNumber(AppleTerms.monthsBetweenOffers))
    }

    /// App Store Connect has the first two of every win-back offer; what it asks for here goes unasked.
    private static func warn(_ mapping: Mapping, lacking keys: [String]) {
        guard !keys.isEmpty, let field = mapping.optional("delivery") else { return }
        field.warn(
            .unusualTerms, "App Store Connect asks for \(keys.map { "`\($0)`" }.joined(separator: " and "))",
            hint: "state what you entered there; without it every lapsed customer passes here")
    }

    private static func paidDuration(_ field: Field) -> Int? {
        guard let months = field.wholeNumber(1...60) else { return nil }
        guard AppleTerms.isPaidDuration(months) else {
            field.refuse(.outOfRange, "\(months) is not a duration Apple has", hint: "1 to 24, 36, 48 or 60")
            return nil
        }
        return months
    }

    private static func timeSinceLastSubscribed(_ field: Field) -> ClosedRange<Int>? {
        guard let mapping = field.mapping(["minimum", "maximum"]) else { return nil }
        let minimum = mapping.required("minimum")?.wholeNumber(AppleTerms.monthsSinceLastSubscribed)
        let maximum = mapping.required("maximum")?.wholeNumber(AppleTerms.monthsSinceLastSubscribed)
        guard let minimum, let maximum else { return nil }
        guard minimum <= maximum else {
            field.refuse(.contradiction, "the minimum \(minimum) is more than the maximum \(maximum)")
            return nil
        }
        return minimum...maximum
    }
}
