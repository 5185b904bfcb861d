/// The type of a fact, which says what it is compared with and how.
public enum FactType: String, Sendable, Hashable, CaseIterable, Codable {
    /// Text, compared byte by byte.
    case text
    /// A number.
    case number
    /// Yes or no.
    case boolean
    /// An amount with its currency.
    case money
    /// A moment.
    case instant
    /// A text of numbers and dots, compared number by number: see ``DottedVersion``.
    case version
    /// A text that names a language and perhaps more; what is required may be its beginning: see ``LocaleTag``.
    case locale
    /// A text of three capital letters, Apple's code of a country's App Store.
    case storefront

    /// The type of the values that a fact of this type has: a version, a locale and a storefront are texts.
    public var valueType: FactType {
        switch self {
        case .text, .version, .locale, .storefront: .text
        case .number, .boolean, .money, .instant: self
        }
    }

    /// The operators that make sense of values of the type.
    public var operators: [ComparisonOperator] {
        switch self {
        case .text, .locale, .storefront: [.is, .isNot, .in, .notIn, .exists]
        case .boolean: [.is, .isNot, .exists]
        case .number, .version: ComparisonOperator.allCases
        case .money: [.is, .isNot, .atLeast, .atMost, .moreThan, .lessThan, .between, .exists]
        case .instant: [.atLeast, .atMost, .moreThan, .lessThan, .between, .exists]
        }
    }
}
