import Charts
import Mustache

/// A drawing of `Charts`: the only markup that a template takes as it is. Every text in it is escaped there, scalar by
/// scalar.
struct Picture: MustacheCustomRenderable {
    let renderText: String
    var isNull: Bool { false }

    private init(_ chart: Chart, id: String, width: Int) {
        renderText = Chart.svg([chart], id: "\(id)-\(width)", width: width, isStyled: false)
    }

    /// For a template's `{{#charts}}{{>picture}}{{/charts}}`: each chart twice, once narrow enough to be read on a
    /// telephone. The style sheet shows one of the two.
    static func all(_ charts: [Chart], id: String) -> [[String: Any]] {
        charts.enumerated().map { place, chart in
            [
                "narrow": Picture(chart, id: "\(id)-\(place)", width: 400),
                "wide": Picture(chart, id: "\(id)-\(place)", width: 760),
            ]
        }
    }
}

/// A table for a template's `{{#tables}}{{>table}}{{/tables}}`.
enum PageTable {
    /// - Parameter rows: a missing value is `–`.
    static func members(_ caption: String, _ columns: [String], _ rows: [[String?]]) -> [String: Any] {
        ["caption": caption, "columns": columns, "rows": rows.map { ["cells": $0.map { $0 ?? "–" }] }]
    }

    /// Without those that would have no rows.
    static func all(_ tables: [(caption: String, columns: [String], rows: [[String?]])]) -> [[String: Any]] {
        tables.filter { !$0.rows.isEmpty }.map { members($0.caption, $0.columns, $0.rows) }
    }
}
