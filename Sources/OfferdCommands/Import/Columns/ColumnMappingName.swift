import ArgumentParser
import OfferModel

/// The kinds of CSV files that are known by name.
enum ColumnMappingName: String, ExpressibleByArgument, CaseIterable {
    /// Apple's own names of a transaction's members.
    case apple
    /// RevenueCat's scheduled export of transactions.
    case revenuecat
    /// A table with one row a subscription, as many apps keep it.
    case subscriptions

    func columns(in scope: Scope) -> any ColumnMapping {
        switch self {
        case .apple: AppleColumns()
        case .revenuecat: RevenueCatColumns(environment: scope.environment)
        case .subscriptions: SubscriptionColumns()
        }
    }
}
