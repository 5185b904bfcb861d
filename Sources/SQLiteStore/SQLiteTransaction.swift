import GRDB
import OfferStore

/// Runs statements on one SQLite connection; each text is prepared once and then reused.
struct SQLiteTransaction: StoreTransaction {
    let connection: Database
    var memory: WriteMemory?

    func rows(_ statement: OfferStore.Statement) throws -> [StoredRow] {
        try StoreError.mapping {
            let prepared = try connection.cachedStatement(sql: statement.sql)
            prepared.setUncheckedArguments(try arguments(statement))
            let columns = prepared.columnCount
            let cursor = try Row.fetchCursor(prepared)
            var rows = [StoredRow]()
            while try cursor.next() != nil {
                var values = [StoredValue]()
                values.reserveCapacity(columns)
                for column in 0..<columns {
                    // Straight from the statement: a copied `Row` and its column names would cost more than the query.
                    let value = DatabaseValue(sqliteStatement: prepared.sqliteStatement, index: CInt(column))
                    values.append(try StoredValue(value))
                }
                rows.append(StoredRow(values))
            }
            return rows
        }
    }

    func execute(_ statement: OfferStore.Statement) throws -> Int {
        try StoreError.mapping {
            let prepared = try connection.cachedStatement(sql: statement.sql)
            prepared.setUncheckedArguments(try arguments(statement))
            try prepared.execute()
            return connection.changesCount
        }
    }

    private func arguments(_ statement: OfferStore.Statement) throws -> StatementArguments {
        StatementArguments(try statement.values.map { try $0.databaseValue() })
    }
}
