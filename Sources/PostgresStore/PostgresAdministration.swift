import OfferStore

/// A connection for statements about whole databases.
package final class PostgresAdministration {
    private let connection: PostgresConnection

    package init(url: String) throws { connection = try PostgresConnection(url: url) }

    package func run(_ sql: String) throws { try connection.runScript(sql) }

    package func texts(_ sql: String) throws -> [String] {
        try connection.rows(Statement(sql, values: [])).map { try $0.value(0) }
    }

    package func close() { connection.close() }
}
