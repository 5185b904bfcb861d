import ArgumentParser
import OfferApplication
import OfferModel

/// What the columns of one kind of CSV file mean.
protocol ColumnMapping: Sendable {
    /// Every column it knows, those that mean nothing here too.
    var columns: [String] { get }
    /// Columns without which no purchase can be told.
    var needed: [String] { get }

    /// A purchase as JSON in Apple's spelling (docs/import.md).
    ///
    /// - Throws: ``ImportRefusal``.
    func purchase(_ row: CSVRow) throws(ImportRefusal) -> [UInt8]
}

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
