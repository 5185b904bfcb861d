import OfferApplication

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
