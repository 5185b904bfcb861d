public import OfferAPI
public import OfferEligibility
public import OfferModel

public enum IssueAnswer: Sendable, Hashable {
    /// Signed and recorded; `isNew` is false if stored signatures are handed out again.
    case issued(IssuedOfferView, isNew: Bool)
    case refused(IssueRefusal)
}

/// A reasoned no: recorded, and for introductory offers perhaps with a signed block.
public struct IssueRefusal: Sendable, Hashable {
    public var decisionId: LowercaseUUID
    public var decision: Decision
    public var outlook: Outlook
    /// The statement that blocks the introductory offer, if the customer has a known transaction and the answer is no.
    public var introductoryEligibility: IntroductoryEligibilityBody?
}
