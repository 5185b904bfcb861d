import OfferModel

/// How a value stands to one that it is compared with.
enum FactRelation: Equatable {
    case less
    case equal
    case greater
    /// Not equal, and of a type without an order.
    case different
    /// Not to be compared at all.
    case incomparable(ReasonCode)

    var incomparability: ReasonCode? {
        guard case .incomparable(let reason) = self else { return nil }
        return reason
    }

    fileprivate init<Value: Comparable>(_ left: Value, _ right: Value) {
        // A number that is none is neither.
        self = left == right ? .equal : left < right ? .less : left > right ? .greater : .different
    }
}

extension FactValue {
    /// - Parameter type: the fact's type; texts are compared as it says.
    func relation(to other: FactValue, as type: FactType?) -> FactRelation {
        switch (self, other) {
        case (.text(let left), .text(let right)): Self.relation(left, right, as: type)
        case (.number(let left), .number(let right)): FactRelation(left, right)
        case (.boolean(let left), .boolean(let right)): left == right ? .equal : .different
        case (.instant(let left), .instant(let right)): FactRelation(left, right)
        case (.money(let left), .money(let right)):
            left.currency == right.currency
                ? FactRelation(left.milliunits, right.milliunits) : .incomparable(.currencyMismatch)
        case (.text, _), (.number, _), (.boolean, _), (.money, _), (.instant, _): .incomparable(.typeMismatch)
        }
    }

    private static func relation(_ left: String, _ right: String, as type: FactType?) -> FactRelation {
        switch type {
        case .version:
            guard let left = DottedVersion(left) else { return .incomparable(.textUnreadable) }
            guard let right = DottedVersion(right) else { return .incomparable(.comparisonMalformed) }
            return FactRelation(left, right)
        case .locale:
            guard let left = LocaleTag(left) else { return .incomparable(.textUnreadable) }
            guard let right = LocaleTag(right) else { return .incomparable(.comparisonMalformed) }
            return left.begins(with: right) ? .equal : .different
        case .text, .storefront, .number, .boolean, .money, .instant, nil:
            return left.utf8.elementsEqual(right.utf8) ? .equal : .different
        }
    }
}
