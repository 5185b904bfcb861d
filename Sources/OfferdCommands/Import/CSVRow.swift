/// The cells of one record.
struct CSVRow {
    private let places: [String: Int]
    private let fields: [String]

    init(places: [String: Int], fields: [String]) {
        self.places = places
        self.fields = fields
    }

    /// What stands in a column; `nil` for nothing, and where the file has no such column.
    subscript(column: String) -> String? {
        guard let place = places[column], !fields[place].isEmpty else { return nil }
        return fields[place]
    }
}
