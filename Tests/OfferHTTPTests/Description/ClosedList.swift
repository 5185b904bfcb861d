import OfferAPI
import OfferApplication
import OfferDocuments
import OfferModel
import OfferSigning
import OfferStore
import Testing

/// A closed list of the code, and the schema that names the same words.
struct ClosedList: Sendable, CustomTestStringConvertible {
    let schema: String
    let words: [String]

    var testDescription: String { schema }

    init<Word: CaseIterable & RawRepresentable<String>>(_ schema: String, _ type: Word.Type) {
        self.schema = schema
        words = type.allCases.map(\.rawValue)
    }

    init(_ schema: String, words: [String]) {
        self.schema = schema
        self.words = words
    }

    /// The `enum` as it has to stand in `openapi.yaml`.
    var yaml: String {
        "      enum:\n" + words.map { "        - \($0)\n" }.joined()
    }

    /// Every closed list.
    static let all = [
        ClosedList("ArtefactFormat", ArtefactFormat.self),
        ClosedList("BillingPlan", words: BillingPlanType.names.map(\.key)),
        ClosedList("CatalogChange", CatalogChange.Kind.self),
        ClosedList("CatalogFormat", CatalogDocument.Format.self),
        ClosedList("ComparisonOperator", ComparisonOperator.self),
        ClosedList("CoverageLevel", Coverage.Level.self),
        ClosedList("Delivery", Delivery.self),
        ClosedList("DocumentIssueCode", DocumentIssueCode.self),
        ClosedList("Environment", AppStoreEnvironment.self),
        ClosedList("EventType", EventType.self),
        ClosedList("FactName", words: FactVocabulary.all.map(\.name)),
        ClosedList("FactType", FactType.self),
        ClosedList("GrantState", GrantState.self),
        ClosedList("GroupChange", GroupChange.self),
        ClosedList("IdentifierKind", SourcedIdentifier.Kind.self),
        ClosedList("IngestOutcome", IngestOutcome.self),
        ClosedList("NotificationOutcome", NotificationOutcome.self),
        ClosedList("OfferStanding", OfferStanding.self),
        ClosedList("OfferStatus", OfferStatus.self),
        ClosedList("OfferType", OfferType.self),
        ClosedList("Outcome", Outcome.self),
        ClosedList("PauseCover", OfferPauseBody.Cover.self),
        ClosedList("PaymentMode", PaymentMode.self),
        ClosedList("ProblemCode", ProblemCode.self),
        ClosedList("ProductKind", OtherProductType.self),
        ClosedList("Provenance", Provenance.self),
        ClosedList("ReasonCode", ReasonCode.self),
        ClosedList("RefreshGap", RefreshGap.self),
        ClosedList("RequestErrorCode", RequestErrorCode.self),
        ClosedList("Role", Role.self),
        ClosedList("RuleId", RuleId.self),
        ClosedList("SignatureCauseCode", SignatureDiagnosis.Code.self),
        ClosedList("SignatureFormat", SignatureFormat.self),
        ClosedList("SignedDataRefusalCode", SignedDataRefusal.Code.self),
        ClosedList("SlotState", IssuedOfferState.self),
        ClosedList("SubscriptionState", SubscriptionStateName.self),
        ClosedList("TimelineKind", TimelineEntry.Kind.self),
        ClosedList("TurningEvent", TurningEvent.self),
        ClosedList("Verdict", Verdict.self),
    ]
}
