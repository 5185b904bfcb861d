/// What is wrong with a document, for programs; people read the detail and the hint.
///
/// The list is closed and `docs/catalog.md` explains every entry.
public enum DocumentIssueCode: String, Sendable, Hashable, CaseIterable, Codable {
    /// The bytes are not UTF-8.
    case notUTF8
    /// A character that no document needs and that editors do not show, such as NUL.
    case invalidCharacter
    /// More bytes than ``DocumentLimits/bytes``, or a condition of more than ``DocumentLimits/comparisons``.
    case tooLarge
    /// Nested deeper than ``DocumentLimits/depth``, or a condition than ``DocumentLimits/conditionDepth``.
    case tooDeep
    /// More errors than are shown.
    case tooManyErrors
    /// Nothing but white space and comments.
    case emptyDocument
    /// More than one YAML document in one file.
    case multipleDocuments
    /// Not YAML.
    case syntax
    /// YAML that is not accepted: anchors, aliases, tags, merge keys, directives, complex keys, text over many lines.
    case unsupportedSyntax
    /// A key given twice in one mapping.
    case duplicateKey
    /// A key that nobody reads.
    case unknownKey
    /// A required key that is not there.
    case missingKey
    /// A key without a value.
    case missingValue
    /// A value of another type.
    case wrongType
    /// A list that must not be empty.
    case emptyList
    /// A text that does not have its form.
    case invalidValue
    /// A word that is not one of a closed list.
    case unknownValue
    /// A number outside its range.
    case outOfRange
    /// A value that must be given once.
    case duplicateValue
    /// A key or value that does not go with another one.
    case notAllowed
    /// Values that cannot both be meant.
    case contradiction
    /// A fact that does not exist.
    case unknownFact
    /// A comparison without an operator.
    case missingOperator
    /// A signal or an attribute compared as two different types.
    case signalTypeConflict
    /// A product that is not in the catalog.
    case unknownProduct
    /// Products of several subscription groups in one offer.
    case severalGroups
    /// A price in another currency than its product's.
    case currencyMismatch
    /// An offer that costs more than no offer.
    case priceTooHigh
    /// Part of the format, but not evaluated by this version.
    case notSupportedYet
    /// A catalog of another app than the API key's.
    case wrongApp
    /// Another kind or Apple name than the offer was first issued with.
    case frozenOnceIssued
    /// Warning: an offer without limits.
    case unlimited
    /// Warning: an offer that is not in the catalog, for example an archived one.
    case unknownOffer
    /// Warning: a tag that no offer of the catalog has.
    case unknownTag
    /// Warning: terms that App Store Connect is not known to offer.
    case unusualTerms
    /// Warning: an alternative of a condition that can never hold.
    case neverHolds
    /// Warning: a part of a condition that holds whatever is known.
    case alwaysHolds
    /// Warning: a setting that has no effect.
    case unused
}
