/// The text of a statement with a list of so many values, whose placeholders come first.
///
/// Nearly every subject is one customer: that text is made once.
struct ListedSQL: Sendable {
    private let start: String
    private let end: String
    private let one: String

    init(_ start: String, _ end: String) {
        self.start = start
        self.end = end
        one = start + Statement.placeholders(1) + end
    }

    /// The text for so many values.
    func callAsFunction(_ count: Int) -> String {
        count == 1 ? one : start + Statement.placeholders(count) + end
    }
}
