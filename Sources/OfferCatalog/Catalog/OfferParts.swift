import OfferModel

/// The parts of an offer that stand for themselves.
struct OfferParts {
    private var starts: Instant?
    private var ends: Instant?
    private var priority: Int?
    private var tags: [String]?
    private var environments: Set<AppStoreEnvironment>?
    private var signaturesPerOffer: Int?
    private var rollout: Rollout?
    private var eligibility: RuleNode?
    private var availableFor: Period?
    private var coolDown: Period?
    private var excludes: [OfferId]?

    mutating func read(_ mapping: Mapping, _ context: inout OfferContext) {
        starts = mapping.optional("starts")?.instant()
        ends = mapping.optional("ends")?.instant()
        if let starts, let ends, starts >= ends {
            mapping.refuse(key: "ends", .contradiction, "the offer ends at \(ends), not after it starts at \(starts)")
        }
        priority = mapping.optional("priority")?.wholeNumber(-1_000_000...1_000_000)
        tags = mapping.optional("tags")?.list(allowsEmpty: true).map { $0.distinct { $0.text(.name) } }
        context.insert(tags: tags ?? [])
        environments = mapping.optional("environments")?.list().map { fields in
            Set(fields.distinct { $0.environment() })
        }
        signaturesPerOffer = mapping.optional("signaturesPerOffer")?.wholeNumber(1...100)
        rollout = mapping.optional("rollout").flatMap(Self.rollout)
    }

    mutating func readConditions(_ mapping: Mapping, of id: OfferId?, _ context: inout OfferContext) {
        eligibility = mapping.optional("eligibility").flatMap { EligibilityReader.read($0, &context) }
        if let field = mapping.optional("availableFor") {
            availableFor = context.isUnchecked ? field.period() : field.fixedPeriod()
            if !mapping.has("eligibility") {
                field.refuse(
                    .contradiction, "`availableFor` counts from the moment `eligibility` holds, and there is none")
            }
        }
        coolDown = mapping.optional("coolDown")?.period()
        excludes = mapping.optional("excludes")?.list(allowsEmpty: true)?.distinct { item in
            item.text(.name).map { text in
                context.exclude(OfferId(text), from: id, at: item)
                return OfferId(text)
            }
        }
    }

    private static func rollout(_ field: Field) -> Rollout? {
        guard let mapping = field.mapping(["percent", "holdout", "salt"]) else { return nil }
        let percent = mapping.required("percent")?.share()
        let holdout = mapping.optional("holdout")?.share()
        let salt = mapping.optional("salt")?.text(.label("a salt"))
        guard let percent else { return nil }
        if percent == 0 {
            mapping.warn(
                key: "percent", .unused, "nobody is in a rollout of 0 percent",
                hint: "raise it, or use `status: draft` until it begins")
        } else if let holdout, holdout == 100 {
            mapping.warn(
                key: "holdout", .unused, "everybody is held out", hint: "lower it, or use `status: draft`")
        }
        return Rollout(percent: percent, holdout: holdout ?? 0, salt: salt)
    }

    func apply(to offer: inout Offer) {
        offer.starts = starts
        offer.ends = ends
        offer.priority = priority ?? offer.priority
        offer.tags = tags ?? offer.tags
        offer.environments = environments ?? offer.environments
        offer.signaturesPerOffer = signaturesPerOffer ?? offer.signaturesPerOffer
        offer.rollout = rollout
        offer.eligibility = eligibility
        offer.availableFor = availableFor
        offer.coolDown = coolDown
        offer.excludes = excludes ?? offer.excludes
    }
}

extension [Field] {
    /// The values of a list that holds each once; a second one is logged and left out.
    func distinct<Value: Hashable>(_ read: (Field) -> Value?) -> [Value] {
        var seen: Set<Value> = []
        var values: [Value] = []
        for field in self {
            guard let value = read(field) else { continue }
            if seen.insert(value).inserted {
                values.append(value)
            } else {
                field.refuse(.duplicateValue, "this entry is given twice", hint: "delete one")
            }
        }
        return values
    }
}

extension Field {
    /// An environment that offers can be made for.
    func environment() -> AppStoreEnvironment? {
        guard let environment = choice(AppStoreEnvironment.self) else { return nil }
        guard environment != .xcode else {
            refuse(.notSupportedYet, "`Xcode` is not supported yet", hint: "use `LocalTesting` for tests")
            return nil
        }
        return environment
    }

    /// Days, hours and the like, which have one length in milliseconds; months and years have not.
    func fixedPeriod() -> Period? {
        guard let period = period() else { return nil }
        guard period.fixedMilliseconds != nil else {
            refuse(
                .invalidValue, "`\(period)` has no fixed length",
                hint: "write days, weeks or hours, such as `P30D` or `PT48H`")
            return nil
        }
        return period
    }

    /// A percentage of customers; they draw from 10,000 numbers, so there is nothing below a hundredth.
    func share() -> Double? {
        guard let number = number() else { return nil }
        guard (0...100).contains(number) else {
            refuse(.outOfRange, "\(number) is not from 0 to 100")
            return nil
        }
        guard number == (number * 100).rounded() / 100 else {
            refuse(.invalidValue, "\(number) has more than two decimals", hint: "write it as `12.25`")
            return nil
        }
        return number
    }
}
