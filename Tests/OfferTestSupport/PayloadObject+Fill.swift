public import OfferModel

extension PayloadObject {
    /// A payload with the members that a test sets.
    public init(_ fill: (inout Self) -> Void) {
        self.init()
        fill(&self)
    }
}
