public import OfferEligibility
public import OfferModel

// Each of these is stored as its raw value; Apple's open types keep values that are not known yet.

extension Identifier: Storable {}
extension AppStoreEnvironment: Storable {}
extension Provenance: Storable {}
extension TransactionType: Storable {}
extension InAppOwnershipType: Storable {}
extension TransactionOfferType: Storable {}
extension OfferDiscountType: Storable {}
extension TransactionReason: Storable {}
extension RevocationType: Storable {}
extension ExpirationIntent: Storable {}
extension AutoRenewStatus: Storable {}
extension PriceIncreaseStatus: Storable {}
extension BillingPlanType: Storable {}
extension OfferType: Storable {}
extension Role: Storable {}
extension Delivery: Storable {}
extension Outcome: Storable {}
