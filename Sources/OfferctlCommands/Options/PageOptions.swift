import ArgumentParser

/// Which part of a long list to show.
struct PageOptions: ParsableArguments {
    @Option(help: ArgumentHelp("At most so many entries.", valueName: "count"))
    var limit: Int?

    @Option(help: ArgumentHelp("Where the list goes on, as the page before said.", valueName: "cursor"))
    var cursor: String?

    mutating func validate() throws {
        guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("`--limit` must be at least 1") }
    }

    /// The page as query items.
    var query: [(String, String)] {
        (limit.map { [("limit", String($0))] } ?? []) + (cursor.map { [("cursor", $0)] } ?? [])
    }
}
