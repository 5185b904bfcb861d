extension ScenarioStep {
    /// The redemption of an offer.
    public struct Redeem: Sendable, Hashable {
        /// The spellings of Apple's `offerType` in a document.
        public enum OfferKind: String, Sendable, Hashable, CaseIterable {
            /// For the first time in a group.
            case introductory
            /// Signed by the developer.
            case promotional
            /// By a code.
            case offerCode
            /// Apple's, for those who left.
            case winBack

            /// Apple's number.
            public var offerType: TransactionOfferType {
                switch self {
                case .introductory: .introductory
                case .promotional: .promotional
                case .offerCode: .offerCode
                case .winBack: .winBack
                }
            }
        }

        /// How a redemption changes the product of a running subscription.
        public enum Change: String, Sendable, Hashable, CaseIterable {
            /// A better product, at once.
            case upgrade
            /// A lesser product, with the next renewal.
            case downgrade
        }

        /// What is paid after the offer.
        public struct RegularTerms: Sendable, Hashable {
            /// How long one payment lasts.
            public var period: Period
            /// What one payment costs.
            public var price: Money

            /// Terms by their parts.
            public init(period: Period, price: Money) {
                self.period = period
                self.price = price
            }
        }

        /// What kind of offer it is.
        public var type: OfferKind
        /// Apple's name of the offer; absent for introductory offers alone.
        public var offerIdentifier: OfferIdentifier?
        /// The group meant; the one of the latest purchase where it is absent.
        public var group: SubscriptionGroupId?
        /// The product; as before where it is absent.
        public var product: ProductId?
        /// When it was redeemed.
        public var at: ScenarioTime
        /// How the offer is paid.
        public var paymentMode: PaymentMode
        /// The length of one of its periods.
        public var period: Period
        /// How many periods it lasts.
        public var periodCount: Int
        /// What is paid; absent for a free trial alone.
        public var price: Money?
        /// What it does to the product of a running subscription; nothing where it is absent.
        public var change: Change?
        /// What is paid after the offer; as before where it is absent.
        public var regular: RegularTerms?

        /// A redemption by its parts.
        public init(
            type: OfferKind, offerIdentifier: OfferIdentifier? = nil, group: SubscriptionGroupId? = nil,
            product: ProductId? = nil, at: ScenarioTime, paymentMode: PaymentMode, period: Period,
            periodCount: Int = 1, price: Money? = nil, change: Change? = nil, regular: RegularTerms? = nil
        ) {
            self.type = type
            self.offerIdentifier = offerIdentifier
            self.group = group
            self.product = product
            self.at = at
            self.paymentMode = paymentMode
            self.period = period
            self.periodCount = periodCount
            self.price = price
            self.change = change
            self.regular = regular
        }
    }
}
